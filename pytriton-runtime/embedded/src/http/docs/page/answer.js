// The maximum number of table cells that are shown.
const ROWS = 50;
const COLUMNS = 32;

// The maximum length of a text that is shown. The rest can be saved.
const CELL = 80;
const TEXT = 100_000;

// The maximum number of elements that are drawn as lines or bars.
const PLOTTED = 4096;

// Shows an output in the forms that fit it, the best form first.
function output(tensor, batched) {
  const views = viewsOf(tensor, batched);
  const shown = el("div", { class: "view" });
  const show = (name) => shown.replaceChildren(views[name]());
  const names = Object.keys(views);
  show(names[0]);
  const head = el(
    "div",
    { class: "field-head" },
    el("span", { class: "name" }, tensor.name),
    el("span", { class: "type" }, `${tensor.datatype} [${tensor.shape.join(", ")}]`),
    names.length > 1 ? choice(`show ${tensor.name} as`, names, names[0], show) : "",
    button("save", () => save(`${tensor.name}.bin`, toBytes(tensor.datatype, tensor.values)), { class: "quiet", "aria-label": `save ${tensor.name}` }),
  );
  return el("div", { class: "output" }, head, shown);
}

function viewsOf(tensor, batched) {
  const { datatype, shape, values } = tensor;
  const views = {};
  const seen = pictures(tensor, batched);
  if (seen.length > 0) views.image = () => el("div", { class: "pictures" }, seen);
  const numeric = datatype !== "BYTES" && datatype !== "BOOL";
  const width = shape.at(-1) ?? 1;
  const rows = width > 0 ? values.length / width : 0;
  const plot = () => plotOf(tensor, width, rows);
  const table = () => tableOf(tensor, width, rows);
  const plotted = numeric && width > 2 && width <= PLOTTED && rows > 0 && rows <= COLOURS && Array.prototype.some.call(values, drawable);
  if (plotted && width > 12) views.plot = plot;
  if (datatype !== "BYTES" || values.length > 1) views.table = table;
  if (plotted) views.plot = plot;
  views.text = () => el("pre", { tabindex: "0", "aria-label": tensor.name }, textOfAll(tensor));
  if (datatype === "BYTES" || values.length === 1) return { ...(views.image ? { image: views.image } : {}), text: views.text, ...views };
  return views;
}

function drawable(value) {
  return Number.isFinite(Number(value));
}

function plotOf({ name, values }, width, rows) {
  const numbers = Array.from(values, Number);
  const series = Array.from({ length: rows }, (_, row) => numbers.slice(row * width, (row + 1) * width));
  const finite = numbers.filter(Number.isFinite);
  const least = Math.min(...finite);
  const most = Math.max(...finite);
  const label = `${name}, from ${short(least)} to ${short(most)}`;
  const axis = { left: "0", right: String(width - 1) };
  const drawn = rows === 1 && width <= 64 ? bars(series[0].map((value) => (Number.isFinite(value) ? value : 0)), label, { axis }) : lines(series, label, { axis });
  const gaps = numbers.length - finite.length;
  const said = [count(width, "value") + (rows > 1 ? ` in each of ${rows} rows` : ""), gaps > 0 ? `${gaps} of them not finite` : ""];
  const rowed = rows > 1 ? legend(series.map((_, row) => `row ${row}`)) : "";
  return el("figure", { "aria-label": `${name} as a plot` }, drawn, rowed, el("figcaption", {}, said.filter(Boolean).join(", ")));
}

function tableOf({ name, datatype, shape, values }, width, rows) {
  const cell = (index) => {
    const value = values[index];
    return datatype === "BYTES" ? excerpted(textOf(value) ?? `${count(value.length, "byte")}`, CELL) : short(value);
  };
  const columns = Math.min(width, COLUMNS);
  const place = (row) => {
    const axes = [];
    for (let axis = shape.length - 2, rest = row; axis >= 0; axis -= 1) {
      axes.unshift(rest % shape[axis]);
      rest = Math.floor(rest / shape[axis]);
    }
    return axes.join(", ");
  };
  const head = el("tr", {}, el("td", {}), Array.from({ length: columns }, (_, column) => el("th", { scope: "col" }, String(column))));
  const body = Array.from({ length: Math.min(rows, ROWS) }, (_, row) =>
    el("tr", {}, el("th", { scope: "row" }, place(row)), Array.from({ length: columns }, (_, column) => el("td", {}, cell(row * width + column)))),
  );
  const table = el("table", { class: "numbers" }, el("caption", { class: "hidden" }, name), el("thead", {}, head), el("tbody", {}, body));
  const left = width > columns || rows > ROWS ? el("p", { class: "said" }, `the first ${Math.min(rows, ROWS)} of ${count(rows, "row")}, ${columns} of ${count(width, "column")}`) : "";
  return el("div", {}, el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `${name} as a table` }, table), left);
}

function textOfAll({ datatype, values }) {
  if (datatype !== "BYTES") {
    const words = Array.from(values.slice(0, PLOTTED), String);
    return words.join(" ") + (values.length > PLOTTED ? ` … ${count(values.length - PLOTTED, "value")} more` : "");
  }
  const texts = [];
  for (let index = 0, length = 0; index < values.length; index += 1) {
    const value = values[index];
    const text = textOf(value) ?? `${count(value.length, "byte")} that ${value.length === 1 ? "is" : "are"} not text`;
    length += text.length + 1;
    if (length > TEXT) {
      texts.push(text.slice(0, Math.max(0, text.length + TEXT - length)), `… use “save” for the rest`);
      break;
    }
    texts.push(text);
  }
  return texts.join("\n");
}

function excerpted(text, length) {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

// Returns the outputs of one stream event, as tensors if the model declares them.
function streamed(model, event) {
  return model.outputs.flatMap(({ name, datatype }) => {
    if (!(name in event)) return [];
    const values = [event[name]].flat(Infinity);
    return [{ name, datatype, shape: [values.length], values }];
  });
}
