// The server's address: the folder of this page.
const BASE = new URL(".", location.href);

// The secrets that the user entered, by the name of their header. They are lost when the page is
// closed.
const secrets = new Map();

// The header that clients use for the token. Others are specific to the server.
const TOKEN = "triton-access-token";

// A server on a terminal links this page with the token in the fragment. It is removed from the
// address, so that it is neither copied nor kept in the history.
function takeToken() {
  const linked = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (!linked) return;
  secrets.set(TOKEN, linked);
  history.replaceState(null, "", location.pathname + location.search);
}
takeToken();
addEventListener("hashchange", takeToken);

// The headers that each kind of request needs.
const closed = new Map();

// A request that was refused because a header is missing.
class Closed extends Error {
  constructor(header, wrong) {
    super(`the server requires the header ${header}`);
    this.header = header;
    this.wrong = wrong;
  }
}

// Sends a request. If the server requires a header, asks the user for it, unless `quiet` is set.
async function ask(kind, path, { headers = {}, quiet = false, ...rest } = {}) {
  for (;;) {
    const given = [...(closed.get(kind) ?? [])].filter((name) => secrets.has(name));
    const all = new Headers(headers);
    for (const name of given) all.set(name, secrets.get(name));
    const response = await fetch(new URL(path, BASE), { ...rest, headers: all, cache: "no-store" }).catch(lost("the server cannot be reached"));
    if (response.status !== 403) return response;
    const header = /expecting header '([^']+)'/.exec(await response.clone().text())?.[1];
    if (header === undefined) return response;
    closed.set(kind, (closed.get(kind) ?? new Set()).add(header));
    const wrong = given.includes(header);
    if (secrets.has(header) && !wrong) continue;
    if (quiet || !(await question(header, wrong))) throw new Closed(header, wrong);
  }
}

// Replaces a browser's generic network error with the cause.
function lost(what) {
  return (error) => {
    throw error instanceof TypeError ? new Error(what) : error;
  };
}

// Asks the user for the value of a header. Returns whether there is one now.
function question(header, wrong) {
  const value = el("input", { type: "password", autocomplete: "off", required: true, spellcheck: "false" });
  const hint = wrong ? "The server refused the previous value." : "The value is kept only while this page is open.";
  const form = el(
    "form",
    { method: "dialog" },
    el("h2", {}, "This server requires a token"),
    labelled(header, value, hint),
    el("div", { class: "actions" }, el("button", { value: "given", class: "main" }, "Use token"), button("Cancel", () => dialog.close())),
  );
  const dialog = el("dialog", { "aria-label": "Access token" }, form);
  document.body.append(dialog);
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      const given = dialog.returnValue === "given" && value.value !== "";
      if (given) secrets.set(header, value.value);
      dialog.remove();
      resolve(given);
    });
    dialog.showModal();
    value.focus();
  });
}

// Returns the message of an error response.
async function failure(response) {
  const text = await response.text();
  try {
    return JSON.parse(text).error ?? text;
  } catch {
    return text || response.statusText;
  }
}
