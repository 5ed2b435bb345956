// A tensor is `{ name, datatype, shape, values }`: `values` are its elements in row-major order.

function product(shape) {
  return shape.reduce((size, dim) => size * dim, 1);
}

// Returns the dimensions of a tensor with the batch axis, if the model has one.
function clientDims(model, tensor) {
  return model.max_batch_size > 0 ? [-1, ...tensor.dims] : tensor.dims;
}

function dimsText(dims) {
  return `[${dims.map((dim) => (dim < 0 ? "?" : dim)).join(", ")}]`;
}

// Parses typed elements and their nesting: JSON, or rows of numbers. For strings, each line is an
// element.
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

// Returns a shape for elements with this nesting that the dimensions allow.
function fitted(dims, batched, { values, nest }) {
  const fits = (shape, dims) => shape.length === dims.length && shape.every((dim, axis) => dims[axis] < 0 || dims[axis] === dim);
  if (fits(nest, dims)) return nest;
  if (batched && fits(nest, dims.slice(1))) return [1, ...nest];
  // As in the server for flat JSON: the last open dimension takes the rest.
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

// Parses typed dimensions. Open ones are -1.
function dimsOf(text) {
  const words = text.split(/[^\d?-]+/).filter(Boolean);
  return words.map((word) => (/^\d+$/.test(word) ? Number(word) : -1));
}

// Parses a typed shape, in which one dimension may be open.
function shaped(text, length) {
  const dims = dimsOf(text);
  const known = product(dims.filter((dim) => dim >= 0));
  const shape = dims.map((dim) => (dim < 0 ? length / known : dim));
  if (product(shape) !== length || !shape.every(Number.isInteger)) {
    throw new Error(`${count(length, "value")} ${length === 1 ? "does" : "do"} not fit the shape ${dimsText(dims)}`);
  }
  return shape;
}

// Repeats a row.
function repeated(values, times) {
  return Array.from({ length: times }, () => values[0]);
}

// Parses JSON. Keeps integers that a number cannot represent, and accepts `NaN`.
function fromJson(text) {
  const whole = (_, value, context) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "") ? BigInt(context.source) : value;
  // This is slow, and shorter texts do not need it.
  const revive = /\d{16}/.test(text) ? whole : undefined;
  try {
    return JSON.parse(text, revive);
  } catch (error) {
    const known = text.replace(/"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g, (token) => (token[0] === '"' ? token : `"${token}"`));
    if (known === text) throw error;
    return JSON.parse(known, revive);
  }
}
