// The properties of each datatype. `set` and `get` are methods of `DataView`; `least` and `most`
// are the limits of integers.
const DATATYPES = {
  BOOL: { bytes: 1, numpy: "np.bool_", rust: "bool" },
  ...integers(8, "Int8", "Uint8"),
  ...integers(16, "Int16", "Uint16"),
  ...integers(32, "Int32", "Uint32"),
  ...integers(64, "BigInt64", "BigUint64"),
  FP16: { bytes: 2, float: true, numpy: "np.float16", rust: "f16", binary: true, to: toHalf, of: ofHalf, at: "Uint16" },
  BF16: { bytes: 2, float: true, numpy: "ml_dtypes.bfloat16", rust: "bf16", binary: true, to: toBrain, of: ofBrain, at: "Uint16" },
  FP32: { bytes: 4, float: true, numpy: "np.float32", rust: "f32", at: "Float32" },
  FP64: { bytes: 8, float: true, numpy: "np.float64", rust: "f64", at: "Float64" },
  BYTES: { numpy: "np.object_", rust: "String" },
};

function integers(bits, signed, unsigned) {
  const of = (name, at, least, most) => ({
    [name]: { bytes: bits / 8, integer: true, least, most, at, numpy: `np.${name.toLowerCase()}`, rust: name[0] === "U" ? `u${bits}` : `i${bits}` },
  });
  const half = 2n ** BigInt(bits - 1);
  return { ...of(`INT${bits}`, signed, -half, half - 1n), ...of(`UINT${bits}`, unsigned, 0n, 2n * half - 1n) };
}

// Parses one element that was typed or comes from JSON.
function element(datatype, value) {
  const type = DATATYPES[datatype];
  const text = String(value).trim();
  const wrong = () => new Error(`${excerpt(text)} is not a valid ${datatype}`);
  if (datatype === "BYTES") return String(value);
  if (datatype === "BOOL") {
    if (/^(true|1)$/i.test(text)) return true;
    if (/^(false|0)$/i.test(text)) return false;
    throw wrong();
  }
  if (type.float) {
    const name = /^([+-]?)(nan|inf|infinity)$/i.exec(text);
    if (name) return name[2].toLowerCase() === "nan" ? NaN : name[1] === "-" ? -Infinity : Infinity;
    if (text === "" || Number.isNaN(Number(text))) throw wrong();
    return Number(text);
  }
  if (!/^[+-]?\d+$/.test(text)) throw wrong();
  const integer = BigInt(text.replace("+", ""));
  if (integer < type.least || integer > type.most) throw wrong();
  return type.bytes === 8 ? integer : Number(integer);
}

function excerpt(text) {
  return text === "" ? "nothing" : `“${text.length > 24 ? `${text.slice(0, 24)}…` : text}”`;
}

// Encodes elements as on the wire: little-endian, with a length before each string.
function toBytes(datatype, values) {
  if (values instanceof Uint8Array && datatype === "UINT8") return values;
  if (datatype === "BYTES") return stringsToBytes(values);
  const { bytes, at, to } = DATATYPES[datatype];
  const view = new DataView(new ArrayBuffer(values.length * bytes));
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (datatype === "BOOL") view.setUint8(index, value ? 1 : 0);
    else view[`set${at}`](index * bytes, to ? to(value) : value, true);
  }
  return new Uint8Array(view.buffer);
}

function stringsToBytes(values) {
  const strings = Array.from(values, utf8);
  const all = new Uint8Array(strings.reduce((sum, string) => sum + 4 + string.length, 0));
  const view = new DataView(all.buffer);
  let at = 0;
  for (const string of strings) {
    view.setUint32(at, string.length, true);
    all.set(string, at + 4);
    at += 4 + string.length;
  }
  return all;
}

// Decodes elements.
function ofBytes(datatype, bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (datatype === "BYTES") {
    const strings = [];
    for (let at = 0; at + 4 <= bytes.length; at += 4 + strings.at(-1).length) {
      strings.push(bytes.slice(at + 4, at + 4 + view.getUint32(at, true)));
    }
    return strings;
  }
  if (datatype === "UINT8") return bytes.slice();
  const { bytes: size, at, of } = DATATYPES[datatype];
  return Array.from({ length: Math.floor(bytes.length / size) }, (_, index) => {
    if (datatype === "BOOL") return view.getUint8(index) !== 0;
    const value = view[`get${at}`](index * size, true);
    return of ? of(value) : value;
  });
}

function utf8(value) {
  return typeof value === "string" ? new TextEncoder().encode(value) : value;
}

// Decodes the text of a string, or returns nothing if its bytes are not UTF-8.
function textOf(value) {
  if (typeof value === "string") return value;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(value);
  } catch {
    return undefined;
  }
}

function toHalf(value) {
  if (Number.isNaN(value)) return 0x7e00;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size >= 65520) return sign | 0x7c00;
  if (size < 2 ** -14) return sign | even(size * 2 ** 24);
  let exponent = Math.floor(Math.log2(size));
  if (size < 2 ** exponent) exponent -= 1;
  if (size >= 2 ** (exponent + 1)) exponent += 1;
  return sign | (((exponent + 15) << 10) + even((size / 2 ** exponent - 1) * 1024));
}

function ofHalf(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return exponent ? sign * (1 + fraction / 1024) * 2 ** (exponent - 15) : sign * fraction * 2 ** -24;
}

function toBrain(value) {
  if (Number.isNaN(value)) return 0x7fc0;
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  const bits = view.getUint32(0);
  return (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16;
}

function ofBrain(bits) {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint16(0, bits);
  return view.getFloat32(0);
}

// Rounds to the nearest integer, ties to even.
function even(value) {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2) ? floor + 1 : floor;
}
