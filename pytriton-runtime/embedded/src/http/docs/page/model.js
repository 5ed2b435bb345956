// Everything that the page shows of a model.
function modelPage(model) {
  return el(
    "article",
    { "aria-labelledby": "model" },
    el("h2", { id: "model", tabindex: "-1" }, model.name),
    el("p", { class: "badges" }, badges(model).map((text) => el("span", { class: "badge" }, text))),
    model.description ? el("p", { class: "description" }, model.description) : "",
    el("div", { class: "signature" }, tensorTable(model, "Inputs", model.inputs), tensorTable(model, "Outputs", model.outputs)),
    optionsOf(model),
    new Trial(model).element,
    new Live(model).element,
  );
}

function badges({ versions, max_batch_size: rows, instances, decoupled, sequences, calls }) {
  return [
    versions.length > 1 ? `versions ${versions.join(", ")}` : `version ${versions[0]}`,
    rows > 0 ? `batches of up to ${rows}` : "no batch axis",
    count(instances, "instance"),
    decoupled ? "streaming" : "",
    sequences ? "sequences" : "",
    calls ? `calls ${calls.join(", ")}` : "",
  ].filter(Boolean);
}

function tensorTable(model, title, tensors) {
  const rows = tensors.map((tensor) =>
    el("tr", {}, el("th", { scope: "row" }, tensor.name), el("td", {}, tensor.datatype), el("td", {}, dimsText(clientDims(model, tensor))), el("td", { class: "description" }, notes(tensor))),
  );
  const head = el("tr", {}, ["name", "type", "shape", ""].map((text) => el("th", { scope: "col" }, text || el("span", { class: "hidden" }, "notes"))));
  const table = el("table", {}, el("caption", {}, title), el("thead", {}, head), el("tbody", {}, rows));
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title }, table);
}

function notes({ description, optional, first_value: first }) {
  return [optional ? "optional" : "", first ? "one value for the batch" : "", description].filter(Boolean).join(" · ");
}

// The options that were set, unchanged.
function optionsOf({ options }) {
  const said = Object.entries(options ?? {});
  if (said.length === 0) return "";
  const text = (value) => (typeof value === "object" && value !== null ? JSON.stringify(value) : String(value));
  return el(
    "details",
    { class: "options" },
    el("summary", {}, "Options"),
    el("dl", {}, said.map(([name, value]) => [el("dt", {}, name), el("dd", {}, text(value))])),
  );
}
