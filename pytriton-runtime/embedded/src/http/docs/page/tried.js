// The number of requests of a form that are kept, and the number of their elements and bytes.
const KEPT_REQUESTS = 20;
const KEPT_SIZE = 16_000_000;

// The requests of each model until the page is closed, newest first.
const triedRequests = new Map();

// A list of the requests that a form has sent. Each can be shown and repeated.
class Tried {
  // `show` receives an entry, `repeat` its call.
  constructor(model, show, repeat) {
    if (!triedRequests.has(model)) triedRequests.set(model, []);
    this.entries = triedRequests.get(model);
    this.show = show;
    this.repeat = repeat;
    this.list = el("ol", { class: "tried" });
    this.summary = el("summary", {});
    this.element = el("details", { class: "card" }, this.summary, this.list);
    this.draw();
  }

  // Adds an entry `{ call, text, kind, outputs, size }`: the status line, the elements that are
  // shown, and the size of the response.
  add(entry) {
    const size = entry.call.tensors.reduce((sum, { values }) => sum + values.length, entry.size);
    this.entries.unshift({ ...entry, size, at: new Date() });
    let kept = 0;
    let left = KEPT_SIZE;
    while (kept < Math.min(this.entries.length, KEPT_REQUESTS) && (left -= this.entries[kept].size) >= 0) kept += 1;
    this.entries.splice(Math.max(kept, 1));
    this.draw();
  }

  draw() {
    this.element.hidden = this.entries.length === 0;
    this.summary.textContent = `Requests of this page (${this.entries.length})`;
    this.list.replaceChildren(...this.entries.map((entry) => this.row(entry)));
  }

  row(entry) {
    const { at, call, text, kind } = entry;
    const time = at.toLocaleTimeString("en", { hour12: false });
    const inputs = call.tensors.map((tensor) => `${tensor.name}: ${excerpted(textOfAll(tensor), 60)}`).join(", ") || "no inputs";
    const status = el("span", { class: `said ${kind}` }, excerpted(text, 120));
    const actions = [button("show", () => this.show(entry), { class: "quiet", "aria-label": `show the request of ${time}` }), button("repeat", () => this.repeat(call), { class: "quiet", "aria-label": `repeat the request of ${time}` })];
    return el("li", {}, el("small", {}, time), " ", el("span", { class: "sent-inputs" }, inputs), el("br"), status, actions);
  }
}
