// The number of samples that are kept.
const KEPT = 90;

// The minimum number of samples in a plot. The newest is on the right.
const LEAST = 30;

// The activity of a model while the page is open. Counts come from its statistics, everything else
// from the metrics if the server has them.
class Live extends Polled {
  constructor(model) {
    super();
    this.model = model;
    this.samples = [];
    this.grid = el("div", { class: "plots" });
    this.calls = el("div", {});
    this.element = el("section", { class: "card live", "aria-label": "Live" }, el("h3", {}, "Live"), this.said, this.grid, this.calls);
    this.loop();
  }

  async read() {
    const response = await ask("statistics", `v2/models/${encodeURIComponent(this.model.name)}/stats`, { quiet: true });
    if (!response.ok) throw new Error(await failure(response));
    const { model_stats: own } = await response.json();
    this.samples.push({ at: performance.now(), ...counted(own), ...(await this.metrics()) });
    this.samples.splice(0, this.samples.length - KEPT);
    this.draw();
  }

  clear() {
    this.grid.replaceChildren();
    this.calls.replaceChildren();
    this.samples = [];
  }

  async metrics() {
    const response = await ask("statistics", "docs/metrics", { quiet: true });
    if (!response.ok) return {};
    const samples = parsed(await response.text());
    return { ...measured(samples, this.model.name), calls: callsOf(samples, this.model.name) };
  }

  draw() {
    const steps = this.samples.slice(1).map((sample, index) => difference(this.samples[index], sample));
    if (steps.length === 0) {
      this.said.textContent = "Looking…";
      return;
    }
    const last = this.samples.at(-1);
    const first = this.samples[0];
    const recent = difference(this.samples.at(-Math.min(6, this.samples.length)), last);
    const plots = [
      gauge("requests", `${rounded(recent.requests)} /s`, [steps.map((step) => step.requests)], { unit: perSecond }),
      this.latency(steps, recent, difference(first, last)),
      gauge("queue", `${milliseconds(recent.queue)}${last.pending === undefined ? "" : `, ${short(last.pending)} waiting`}`, [steps.map((step) => step.queue)], { unit: milliseconds }),
      this.batches(first, last),
      gauge("errors", `${rounded(recent.errors)} /s, ${count(last.failed, "error")} in total`, [steps.map((step) => step.errors)], { unit: perSecond }),
      gauge("instances busy", `${rounded(recent.busy)} of ${last.instances ?? this.model.instances}`, [steps.map((step) => step.busy)], { to: last.instances ?? this.model.instances }),
    ];
    this.grid.replaceChildren(...plots);
    this.calls.replaceChildren(...callTable(this.model.name, last.calls ?? new Map()));
    this.said.textContent = `The last ${Math.round((last.at - first.at) / 1000)} s, of all versions and all clients. ${count(last.succeeded, "request")} completed since the start.`;
  }

  // Quantiles of the requests since the page was opened if there are histograms, otherwise the
  // server's summaries, otherwise the mean.
  latency(steps, recent, whole) {
    const quantiles = [whole.p50, whole.p99];
    if (!quantiles.every(Number.isFinite)) {
      const hint = "mean; p50 and p99 need --metrics-config=histogram_latencies=true";
      return gauge("latency", milliseconds(recent.latency), [steps.map((step) => step.latency)], { hint: whole.histogram ? "mean" : hint, unit: milliseconds });
    }
    const names = ["p50", "p99"].map((name, index) => `${name} ${milliseconds(quantiles[index])}`);
    const label = `latency: ${names.join(", ")}`;
    const drawn = timeline([steps.map((step) => step.p50), steps.map((step) => step.p99)], label, { unit: milliseconds });
    return figure("latency", legend(names), drawn, "");
  }

  // The number of batches per size since the page was opened, or since the start if none ran.
  batches(first, last) {
    const since = [...last.batches].map(([size, batches]) => [size, batches - (first.batches.get(size) ?? 0)]).filter(([, batches]) => batches > 0);
    const shown = (since.length > 0 ? since : [...last.batches]).sort(([one], [other]) => one - other);
    const all = shown.reduce((sum, [, batches]) => sum + batches, 0);
    const rows = shown.reduce((sum, [size, batches]) => sum + size * batches, 0);
    const text = all > 0 ? `${rounded(rows / all)} ${rows === all ? "row" : "rows"} on average` : "none yet";
    const label = `batch sizes: ${shown.map(([size, batches]) => `${batches} of ${size}`).join(", ") || "none"}`;
    const drawn = all > 0 ? bars(shown.map(([, batches]) => batches), label) : chart(drawing(label, []));
    const sizes = shown.map(([size]) => size).join(", ");
    return figure("batches", text, drawn, el("small", {}, sizes && `sizes ${sizes.length > 40 ? `from ${shown[0][0]} to ${shown.at(-1)[0]}` : sizes}`));
  }
}

// Returns the sums over a model's versions.
function counted(versions) {
  const sum = (of) => versions.reduce((sum, version) => sum + of(version), 0);
  const stats = (name, unit) => sum(({ inference_stats: stats }) => stats[name]?.[unit] ?? 0);
  const batches = new Map();
  let computed = 0;
  for (const batch of versions.flatMap(({ batch_stats }) => batch_stats ?? [])) {
    batches.set(batch.batch_size, (batches.get(batch.batch_size) ?? 0) + batch.compute_infer.count);
    computed += batch.compute_input.ns + batch.compute_infer.ns + batch.compute_output.ns;
  }
  return { succeeded: stats("success", "count"), took: stats("success", "ns"), failed: stats("fail", "count"), queued: stats("queue", "count"), waited: stats("queue", "ns"), computed, batches };
}

// Parses Prometheus metrics with labels.
function parsed(text) {
  return text.split("\n").flatMap((line) => {
    const [, name, labels, value] = /^([a-z_]+)\{(.*)\} (\S+)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const of = Object.fromEntries([...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, said]) => [key, said.replace(/\\(.)/g, "$1")]));
    return [{ name, of, value: Number(value) }];
  });
}

// Returns the metrics of a model.
function measured(samples, model) {
  const found = {};
  const add = (name, value) => (found[name] = (found[name] ?? 0) + value);
  const buckets = new Map();
  for (const { name, of, value } of samples) {
    if (of.model !== model) continue;
    if (name === "nv_inference_pending_request_count") add("pending", value);
    if (name === "pytriton_instances") add("instances", value);
    if (name === "pytriton_instance_busy_seconds_total") add("busySeconds", value);
    if (name === "pytriton_request_duration_seconds_bucket") {
      const bound = of.le === "+Inf" ? Infinity : Number(of.le);
      buckets.set(bound, (buckets.get(bound) ?? 0) + value);
    }
  }
  return { ...found, buckets };
}

// Returns the difference between two samples.
function difference(before, after) {
  const seconds = (after.at - before.at) / 1000 || 1;
  const mean = (sum, number) => (after[number] > before[number] ? (after[sum] - before[sum]) / (after[number] - before[number]) : NaN);
  const busy = after.busySeconds === undefined ? (after.computed - before.computed) / 1e9 : after.busySeconds - (before.busySeconds ?? 0);
  const buckets = [...(after.buckets ?? [])].map(([bound, number]) => [bound, number - (before.buckets?.get(bound) ?? 0)]);
  return {
    requests: Math.max(0, after.succeeded - before.succeeded) / seconds,
    errors: Math.max(0, after.failed - before.failed) / seconds,
    latency: mean("took", "succeeded"),
    queue: mean("waited", "queued"),
    busy: Math.max(0, busy) / seconds,
    histogram: buckets.length > 0,
    p50: quantile(buckets, 0.5),
    p99: quantile(buckets, 0.99),
  };
}

// Returns a quantile of a histogram in nanoseconds, interpolated within a bucket as in Prometheus.
function quantile(buckets, share) {
  const sorted = buckets.sort(([one], [other]) => one - other);
  const all = sorted.at(-1)?.[1] ?? 0;
  if (all <= 0) return NaN;
  let [bound, number] = [0, 0];
  for (const [next, sum] of sorted) {
    if (sum >= share * all) {
      const within = Number.isFinite(next) ? bound + ((next - bound) * (share * all - number)) / (sum - number || 1) : bound;
      return within * 1e9;
    }
    [bound, number] = [next, sum];
  }
  return NaN;
}

// Formats a value with two significant digits, or as nothing if it is close to zero.
function rounded(value) {
  return short(value < 0.005 ? 0 : Number(value.toPrecision(value < 100 ? 2 : 3)));
}

function milliseconds(nanoseconds) {
  return Number.isFinite(nanoseconds) ? `${short(Number((nanoseconds / 1e6).toPrecision(3)))} ms` : "–";
}

function perSecond(number) {
  return `${rounded(number)} /s`;
}

function gauge(name, value, series, { to, hint, unit } = {}) {
  return figure(name, value, timeline(series, `${name}: ${value}`, { to, unit }), hint ? el("small", {}, hint) : "");
}

// Draws lines of past values up to now.
function timeline(series, label, { to, unit }) {
  const looks = Math.max(LEAST, ...series.map(({ length }) => length));
  const full = series.map((values) => [...Array(looks - values.length).fill(NaN), ...values]);
  return lines(full, label, { from: 0, to, axis: { unit, left: `−${Math.round((looks * PERIOD) / 1000)} s`, right: "now" } });
}

function figure(name, value, drawn, below) {
  return el("figure", { "aria-label": name }, el("figcaption", {}, el("span", {}, name), el("strong", {}, value)), drawn, below);
}
