// Returns the calls that a model makes and receives, by caller and called model.
function callsOf(samples, model) {
  const calls = new Map();
  for (const { name, of, value } of samples) {
    const isCall = name === "pytriton_model_calls_total" || name === "pytriton_model_call_seconds_total";
    if (!isCall || (of.caller !== model && of.model !== model)) continue;
    const key = JSON.stringify([of.caller, of.model]);
    if (!calls.has(key)) calls.set(key, { caller: of.caller, called: of.model, success: 0, failure: 0, seconds: 0 });
    calls.get(key)[of.result ?? "seconds"] += value;
  }
  return calls;
}

// Returns a table of these calls, or nothing if there are none.
function callTable(model, calls) {
  if (calls.size === 0) return [];
  const cells = ({ caller, called, success, failure, seconds }) => [
    caller === model ? `calls ${called}` : `called by ${caller || "the program"}`,
    short(success),
    short(failure),
    milliseconds((seconds / (success + failure)) * 1e9),
  ];
  const row = ([edge, ...values]) => el("tr", {}, el("th", { scope: "row" }, edge), values.map((value) => el("td", {}, value)));
  const head = el("tr", {}, ["call", "completed", "failed", "mean time"].map((text) => el("th", { scope: "col" }, text)));
  const own = [...calls.values()].sort((one, other) => (other.caller === model) - (one.caller === model));
  const table = el("table", { class: "calls" }, el("caption", {}, "Calls since the start"), el("thead", {}, head), el("tbody", {}, own.map(cells).map(row)));
  return [el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Calls" }, table)];
}
