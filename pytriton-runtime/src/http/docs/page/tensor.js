// A tensor is `{ name, datatype, shape, values }`: `values` are its elements in row-major order.

function product(shape) {
  return shape.reduce((size, dim) => size * dim, 1);
}

// The dims of a tensor with the batch axis, where the model has one.
function clientDims(model, tensor) {
  return model.max_batch_size > 0 ? [-1, ...tensor.dims] : tensor.dims;
}

function dimsText(dims) {
  return `[${dims.map((dim) => (dim < 0 ? "?" : dim)).join(", ")}]`;
}

// The elements that somebody has typed, and how they are nested: JSON, or rows of numbers; of strings each line is one.
function typed(datatype, text) {
  if (/^\s*\[/.test(text)) {
    const parsed = fromJson(text);
    const nest = [];
    for (let level = parsed; Array.isArray(level); level = level[0]) nest.push(level.length);
    const values = parsed.flat(Infinity).map((value) => element(datatype, value));
    if (values.length !== product(nest)) throw new Error("the lists have different lengths");
    return { values, nest };
  }
  if (datatype === "BYTES") {
    const values = text.split("\n");
    return { values, nest: [values.length] };
  }
  const lines = text.split("\n").map((line) => line.split(/[\s,;]+/).filter(Boolean));
  const rows = lines.filter((line) => line.length > 0);
  const values = rows.flat().map((word) => element(datatype, word));
  const regular = rows.every((row) => row.length === rows[0].length);
  return { values, nest: rows.length > 1 && regular ? [rows.length, rows[0].length] : [values.length] };
}

// The shape of so many elements, nested in that manner: one that the dims allow.
function fitted(dims, batched, { values, nest }) {
  const fits = (shape, dims) => shape.length === dims.length && shape.every((dim, axis) => dims[axis] < 0 || dims[axis] === dim);
  if (fits(nest, dims)) return nest;
  if (batched && fits(nest, dims.slice(1))) return [1, ...nest];
  // As the server does it for flat JSON: the last open dim takes what the fixed ones leave.
  const shape = [...dims];
  let left = values.length;
  for (const dim of dims.filter((dim) => dim >= 0)) left = dim === 0 ? NaN : left / dim;
  for (let axis = dims.length - 1; axis >= 0; axis -= 1) {
    if (dims[axis] >= 0) continue;
    shape[axis] = left;
    left = 1;
  }
  if (left !== 1 || !shape.every(Number.isInteger)) {
    throw new Error(`${count(values.length, "value")} ${values.length === 1 ? "does" : "do"} not fit ${dimsText(dims)}`);
  }
  return shape;
}

// The dims that somebody has typed, -1 for those that are left open.
function dimsOf(text) {
  const words = text.split(/[^\d?-]+/).filter(Boolean);
  return words.map((word) => (/^\d+$/.test(word) ? Number(word) : -1));
}

// The shape that somebody has typed, of which one dim may be left open.
function shaped(text, length) {
  const dims = dimsOf(text);
  const known = product(dims.filter((dim) => dim >= 0));
  const shape = dims.map((dim) => (dim < 0 ? length / known : dim));
  if (product(shape) !== length || !shape.every(Number.isInteger)) {
    throw new Error(`${count(length, "value")} ${length === 1 ? "does" : "do"} not fit the shape ${dimsText(dims)}`);
  }
  return shape;
}

// So many copies of a row.
function repeated(values, times) {
  return Array.from({ length: times }, () => values[0]);
}

// JSON, with integers that a number cannot hold as they are, and with the `NaN` that JSON has not.
function fromJson(text) {
  const whole = (_, value, context) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "") ? BigInt(context.source) : value;
  // It takes its time, and shorter ones are safe.
  const revive = /\d{16}/.test(text) ? whole : undefined;
  try {
    return JSON.parse(text, revive);
  } catch (error) {
    const known = text.replace(/"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g, (token) => (token[0] === '"' ? token : `"${token}"`));
    if (known === text) throw error;
    return JSON.parse(known, revive);
  }
}
