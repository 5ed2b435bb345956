// Requests and responses of the KServe v2 protocol, as JSON and with binary tensors after it.

const HEADER_LENGTH = "Inference-Header-Content-Length";

// Writes JSON text without characters that change the text direction.
function jsonText(value) {
  return JSON.stringify(value).replace(/[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

// Returns whether JSON can represent all elements.
function inJson({ datatype, values }) {
  const type = DATATYPES[datatype];
  if (type.binary) return false;
  if (type.float) return Array.prototype.every.call(values, Number.isFinite);
  return datatype !== "BYTES" || Array.prototype.every.call(values, (value) => typeof value === "string");
}

function jsonList({ datatype, values }) {
  const write = datatype === "BYTES" ? jsonText : String;
  return `[${Array.prototype.map.call(values, write).join(",")}]`;
}

// Creates a request: its headers and its body, which is text if no part is binary.
function inferRequest(tensors, { id, parameters, binary, outputs = [] }) {
  const tails = [];
  const inputs = tensors.map((tensor) => {
    const head = `{"name":${jsonText(tensor.name)},"datatype":"${tensor.datatype}","shape":[${tensor.shape}]`;
    if (!binary && inJson(tensor)) return `${head},"data":${jsonList(tensor)}}`;
    const bytes = toBytes(tensor.datatype, tensor.values);
    tails.push(bytes);
    return `${head},"parameters":{"binary_data_size":${bytes.length}}}`;
  });
  const members = [`"inputs":[${inputs}]`];
  if (id) members.unshift(`"id":${jsonText(id)}`);
  const all = { ...parameters };
  // Outputs may not be text either.
  const bytes = binary || tails.length > 0;
  if (bytes) all.binary_data_output = true;
  if (Object.keys(all).length > 0) members.push(`"parameters":${jsonText(all)}`);
  // Datatypes without a JSON form are returned as bytes in any case.
  if (!bytes && outputs.some(({ datatype }) => DATATYPES[datatype]?.binary)) {
    const wanted = outputs.map(({ name, datatype }) => ({ name, parameters: { binary_data: Boolean(DATATYPES[datatype]?.binary) } }));
    members.push(`"outputs":${jsonText(wanted)}`);
  }
  const head = `{${members}}`;
  if (tails.length === 0) return { headers: { "Content-Type": "application/json" }, body: head };
  const json = utf8(head);
  return {
    headers: { "Content-Type": "application/octet-stream", [HEADER_LENGTH]: String(json.length) },
    body: joined([json, ...tails]),
  };
}

// Creates an object without tensors: a value or a flat list for each input.
function generateRequest(tensors, { id, parameters }) {
  const members = tensors.map((tensor) => {
    if (!inJson(tensor)) throw new Error(`${tensor.name} cannot be represented in JSON, the only format of this route`);
    const data = jsonList(tensor);
    return `${jsonText(tensor.name)}:${tensor.values.length === 1 ? data.slice(1, -1) : data}`;
  });
  for (const [name, value] of Object.entries(parameters)) members.push(`${jsonText(name)}:${jsonText(value)}`);
  if (id) members.push(`"id":${jsonText(id)}`);
  return { headers: { "Content-Type": "application/json" }, body: `{${members}}` };
}

function joined(parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

// Parses a response: its JSON and its tensors.
function inferResponse(headers, bytes) {
  try {
    return answerOf(headers, bytes);
  } catch (error) {
    throw new Error(`the response is malformed: ${error.message}`);
  }
}

function answerOf(headers, bytes) {
  const length = Number(headers.get(HEADER_LENGTH) ?? bytes.length);
  const said = fromJson(new TextDecoder().decode(bytes.subarray(0, length)));
  let at = length;
  const tensors = (said.outputs ?? []).map(({ name, datatype, shape, data, parameters }) => {
    const size = parameters?.binary_data_size;
    if (size === undefined) {
      const values = data.flat(Infinity).map((value) => (typeof value === "string" && datatype !== "BYTES" ? Number(value) : value));
      return { name, datatype, shape, values };
    }
    at += size;
    return { name, datatype, shape, values: ofBytes(datatype, bytes.subarray(at - size, at)) };
  });
  return { said, tensors };
}

// Yields the objects of a stream of server-sent events as they arrive.
async function* events(body) {
  const decoder = new TextDecoderStream();
  const reader = body.pipeThrough(decoder).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value = "", done } = await reader.read().catch(lost("the connection was lost before the last response"));
      const lines = (rest + value).split("\n");
      rest = done ? "" : lines.pop();
      for (const line of lines) if (line.startsWith("data:")) yield fromJson(line.slice(5));
      if (done) return;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
