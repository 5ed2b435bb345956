const main = document.querySelector("main");
const nav = document.querySelector("nav ul");
const health = document.querySelector("#health");

// The number of models above which the list has a search field.
const MANY = 12;

// The models in the document, once each, sorted by name.
function modelsOf(document) {
  const operations = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path));
  const models = new Map();
  for (const { "x-pytriton-model": model } of operations.filter((operation) => operation?.["x-pytriton-model"])) models.set(model.name, model);
  return [...models.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

async function load() {
  main.setAttribute("aria-busy", "true");
  try {
    const response = await ask("document", "openapi.json");
    if (!response.ok) throw new Error(`${response.status}: ${await failure(response)}`);
    const said = await response.json();
    ports = said["x-pytriton-ports"];
    start(modelsOf(said));
  } catch (error) {
    main.replaceChildren(empty("Cannot load the models", el("p", { role: "alert" }, excerpted(error.message, SAID)), "Try again"));
  }
  main.removeAttribute("aria-busy");
}

// Shows a message instead of a model, with a button that may help.
function empty(title, said, again) {
  return el("div", { class: "card empty" }, el("h2", {}, title), said, button(again, load, { class: "main" }));
}

// A field that filters models by name.
function finder(items) {
  const said = el("p", { role: "status", class: "hidden" });
  const text = el("input", { type: "search", "aria-label": "find a model", placeholder: "find a model", autocomplete: "off", spellcheck: "false" });
  text.addEventListener("input", () => {
    const wanted = text.value.trim().toLowerCase();
    for (const [name, item] of items) item.hidden = !name.includes(wanted);
    said.textContent = count(items.filter(([, item]) => !item.hidden).length, "model");
  });
  return el("search", {}, text, said);
}

// Scrolls the list to a link. In Chromium 148, `scrollIntoView` also makes the link the place where
// the Tab key starts, so that the keyboard would not reach the link that skips the list.
function reveal(link) {
  const [list, place] = [nav, link].map((element) => element.getBoundingClientRect());
  const beyond = (start, end, first, last) => Math.min(start - first, 0) || Math.max(end - last, 0);
  nav.scrollBy(beyond(place.left, place.right, list.left, list.right), beyond(place.top, place.bottom, list.top, list.bottom));
}

function start(models) {
  const links = new Map(models.map(({ name }) => [name, el("a", { href: `#${encodeURIComponent(name)}` }, name)]));
  // The name of no model contains a slash that is not encoded.
  const all = el("a", { href: "#/" }, "All models");
  const items = [...links].map(([name, link]) => [name.toLowerCase(), el("li", {}, link)]);
  nav.replaceChildren(...items.map(([, item]) => item));
  for (const earlier of nav.parentElement.querySelectorAll("search, p")) earlier.remove();
  if (models.length > 1) nav.before(el("p", {}, all));
  if (models.length > MANY) nav.before(finder(items));
  let shown;
  const show = () => {
    const model = models.find(({ name }) => location.hash === links.get(name).hash) ?? models[0];
    if (!model) return main.replaceChildren(empty("No models are served", el("p", {}, "The server has no models, or none is loaded."), "Reload"));
    const current = models.length > 1 && location.hash === all.hash ? all : links.get(model.name);
    for (const link of [all, ...links.values()]) {
      if (link === current) {
        link.setAttribute("aria-current", "page");
        reveal(link);
      } else link.removeAttribute("aria-current");
    }
    if (shown === current) return;
    const first = shown === undefined;
    shown = current;
    document.title = `${current.textContent} · pytriton`;
    main.replaceChildren(current === all ? new Overview(models).element : modelPage(model));
    if (!first) main.querySelector("h2").focus();
  };
  window.onhashchange = show;
  show();
}

// Shows whether the server is ready, as text and as a dot.
async function beat() {
  for (;;) {
    if (!document.hidden) {
      const ready = await fetch(new URL("v2/health/ready", BASE), { cache: "no-store" }).then(({ ok }) => ok, () => undefined);
      const text = ready === undefined ? "unreachable" : ready ? "ready" : "not ready";
      if (health.textContent !== text) health.textContent = text;
      health.dataset.state = text;
    }
    await new Promise((resolve) => setTimeout(resolve, 5000));
  }
}

document.querySelector(".skip").addEventListener("click", (event) => {
  // The fragment of the address selects the model.
  event.preventDefault();
  main.focus();
});
document.querySelector("#place").textContent = BASE.host + BASE.pathname.replace(/\/$/, "");
load();
beat();
