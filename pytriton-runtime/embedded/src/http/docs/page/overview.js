// The rates of all models, from the server's metrics.
class Overview extends Polled {
  constructor(models) {
    super();
    this.models = models;
    this.samples = [];
    this.table = el("div", {});
    this.element = el("article", { "aria-labelledby": "model" }, el("h2", { id: "model", tabindex: "-1" }, "All models"), el("section", { class: "card" }, this.said, this.table));
    this.loop();
  }

  async read() {
    const response = await ask("statistics", "docs/metrics", { quiet: true });
    if (!response.ok) throw new Error(await failure(response));
    this.samples.push({ at: performance.now(), models: totals(parsed(await response.text())) });
    // The rates are means of the last six samples.
    this.samples.splice(0, this.samples.length - 6);
    this.draw();
  }

  clear() {
    this.table.replaceChildren();
    this.samples = [];
  }

  draw() {
    const [first, last] = [this.samples[0], this.samples.at(-1)];
    const seconds = (last.at - first.at) / 1000;
    const head = ["model", "requests", "errors", "latency", "queue", "waiting", "rows per batch"];
    const rows = this.models.map(({ name }) => [name, rates(first.models.get(name), last.models.get(name), seconds)]);
    const row = ([name, values]) => el("tr", {}, el("th", { scope: "row" }, el("a", { href: `#${encodeURIComponent(name)}` }, name)), values.map((value) => el("td", {}, value)));
    const table = el(
      "table",
      {},
      el("caption", { class: "hidden" }, "Rates of all models"),
      el("thead", {}, el("tr", {}, head.map((text) => el("th", { scope: "col" }, text)))),
      el("tbody", {}, rows.map(row)),
    );
    // Replacing a link that has the focus would move the focus to the top of the page.
    const focused = this.table.contains(document.activeElement) ? document.activeElement.hash : undefined;
    this.table.replaceChildren(el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Rates" }, table));
    if (focused !== undefined) [...table.querySelectorAll("a")].find(({ hash }) => hash === focused)?.focus();
    this.said.textContent = seconds > 0 ? `Means of the last ${Math.round(seconds)} s, of all versions and all clients.` : "Looking…";
  }
}

const COUNTERS = {
  nv_inference_request_success: "succeeded",
  nv_inference_request_failure: "failed",
  nv_inference_request_duration_us: "took",
  nv_inference_queue_duration_us: "waited",
  nv_inference_pending_request_count: "pending",
  nv_inference_count: "rows",
  nv_inference_exec_count: "batches",
};

// Returns the sums over the versions of each model.
function totals(samples) {
  const models = new Map();
  for (const { name, of, value } of samples) {
    const counter = COUNTERS[name];
    if (counter === undefined || of.model === undefined) continue;
    if (!models.has(of.model)) models.set(of.model, Object.fromEntries(Object.values(COUNTERS).map((key) => [key, 0])));
    models.get(of.model)[counter] += value;
  }
  return models;
}

// Returns the cells of a model's row.
function rates(before, after, seconds) {
  if (before === undefined || after === undefined || seconds === 0) return Array(6).fill("–");
  const grown = (counter) => Math.max(0, after[counter] - before[counter]);
  const mean = (sum, number) => (grown(number) > 0 ? grown(sum) / grown(number) : NaN);
  const time = (sum) => milliseconds(mean(sum, "succeeded") * 1000);
  const rows = mean("rows", "batches");
  return [perSecond(grown("succeeded") / seconds), perSecond(grown("failed") / seconds), time("took"), time("waited"), short(after.pending), Number.isNaN(rows) ? "–" : rounded(rows)];
}
