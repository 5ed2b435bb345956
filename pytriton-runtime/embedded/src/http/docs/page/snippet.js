// The maximum number of elements in a program. More are saved in a file next to it.
const INLINE = 256;

// Names that the programs use, and the keywords of the languages.
const PYTHON = words(`np ml_dtypes triton client inputs result answers output response queue os open print and as assert async await break
  class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield`);
const RUST = words(`client outputs options bytes main std vec abstract as async await become box break const continue crate do dyn else enum extern
  false final fn for gen if impl in let loop macro match mod move mut override priv pub ref return self static struct super trait true try type typeof
  unsafe unsized use virtual where while yield`);

function words(text) {
  return text.split(/\s+/);
}

const LANGUAGES = { curl, Python: python, Rust: rust };

// Returns the variable names of tensors. Names that the language does not allow are numbered.
function variables(tensors, taken) {
  const names = tensors.map(({ name }, index) => (/^[a-z][a-z0-9_]*$/.test(name) && !taken.includes(name) ? name : `input_${index + 1}`));
  return names.map((name, index) => (names.indexOf(name) === index ? name : `input_${index + 1}`));
}

// The other ports of the server, if it knows them.
let ports;

// The address for HTTP, which differs if the page has its own port.
function address() {
  const { port, tls } = ports?.http ?? {};
  return port ? `http${tls ? "s" : ""}://${BASE.hostname}:${port}` : BASE.href.replace(/\/$/, "");
}

// The address for gRPC. A server that knows no ports is part of another one, with one port for all.
function grpcAddress() {
  if (!ports) return { host: BASE.host, tls: BASE.protocol === "https:" };
  if (!ports.grpc) throw new Error("Streams require gRPC, which this server does not serve.");
  return { host: `${BASE.hostname}:${ports.grpc.port}`, tls: ports.grpc.tls };
}

function grpcUrl() {
  const { host, tls } = grpcAddress();
  return `grpc${tls ? "s" : ""}://${host}`;
}

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

// Returns the headers of a request, with a variable in place of each secret.
function headersOf({ headers }, kind) {
  const names = [...(closed.get(kind) ?? [])];
  return [...Object.entries(headers), ...names.map((name) => [name, undefined])];
}

function curl(call) {
  const { model, tensors, options } = call;
  const stream = model.decoupled;
  const request = stream ? generateRequest(tensors, options) : inferRequest(tensors, { ...options, outputs: model.outputs });
  const binary = typeof request.body !== "string";
  const long = binary || request.body.length > 4000;
  const lines = [`curl -s${stream ? "N" : ""} ${quoted(`${address()}/${call.path}`)}`];
  for (const [name, value] of headersOf(call, "infer")) lines.push(`-H ${value === undefined ? `"${name}: $TOKEN"` : quoted(`${name}: ${value}`)}`);
  if (binary) for (const [name, value] of Object.entries(request.headers)) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
  lines.push(long ? "--data-binary @request.bin" : `-d ${quoted(request.body)}`);
  if (!stream && (binary || model.outputs.some(({ datatype }) => DATATYPES[datatype]?.binary))) lines.push("-o answer.bin");
  return { text: lines.join(" \\\n  "), files: long ? [["request.bin", utf8(request.body)]] : [] };
}

function filed(tensor) {
  if (tensor.datatype === "BYTES") return Array.from(tensor.values).some((value) => typeof value !== "string");
  return tensor.values.length > INLINE;
}

function python(call) {
  const { model, tensors, options, headers } = call;
  const files = [];
  const names = variables(tensors, PYTHON);
  const arrays = tensors.map((tensor, index) => {
    const { numpy } = DATATYPES[tensor.datatype];
    const shape = `.reshape(${tensor.shape.join(", ")})`;
    if (!filed(tensor)) return `${names[index]} = np.array([${Array.from(tensor.values, pythonValue).join(", ")}], dtype=${numpy})${shape}`;
    const file = `${names[index]}.bin`;
    if (tensor.datatype === "BYTES") {
      files.push([file, joined(Array.from(tensor.values, utf8))]);
      return `${names[index]} = np.array([open("${file}", "rb").read()], dtype=np.object_)${shape}`;
    }
    files.push([file, toBytes(tensor.datatype, tensor.values)]);
    return `${names[index]} = np.fromfile("${file}", dtype=${numpy})${shape}`;
  });
  const inputs = tensors.map(({ name, datatype }, index) =>
    `    triton.InferInput(${jsonText(name)}, ${names[index]}.shape, "${datatype}").set_data_from_numpy(${names[index]}),`);
  const { sequence_id: id, sequence_start: start, sequence_end: end, ...parameters } = options.parameters;
  const said = [`${jsonText(model.name)}`, "inputs"];
  if (call.version) said.push(`model_version="${call.version}"`);
  if (options.id) said.push(`request_id=${jsonText(options.id)}`);
  if (id !== undefined) said.push(`sequence_id=${pythonValue(id)}`, `sequence_start=${pythonValue(Boolean(start))}`, `sequence_end=${pythonValue(Boolean(end))}`);
  if (Object.keys(parameters).length > 0) said.push(`parameters=${pythonValue(parameters)}`);
  const own = model.decoupled ? "triton-grpc-protocol-" : "";
  const sent = headersOf({ headers }, "infer").map(([name, value]) => `${jsonText(value === undefined ? own + name : name)}: ${value === undefined ? 'os.environ["TOKEN"]' : jsonText(value)}`);
  const secret = headersOf({ headers: {} }, "infer").length > 0;
  const imports = [secret ? "import os\n" : "", model.decoupled ? "import queue\n\n" : secret ? "\n" : "", tensors.some(({ datatype }) => datatype === "BF16") ? "import ml_dtypes\n" : "", "import numpy as np\n", `import tritonclient.${model.decoupled ? "grpc" : "http"} as triton\n`].join("");
  const tail = model.decoupled ? pythonStream(said, sent) : pythonCall(model, said, sent);
  return { text: `${imports}\n${arrays.join("\n")}\ninputs = [\n${inputs.join("\n")}\n]\n${tail}`, files };
}

function pythonCall(model, said, sent) {
  if (sent.length > 0) said.push(`headers={${sent.join(", ")}}`);
  const [scheme, host] = address().split("://");
  const tls = scheme === "https" ? ", ssl=True" : "";
  const outputs = model.outputs.map(({ name }) => `print(result.as_numpy(${jsonText(name)}))`);
  return `with triton.InferenceServerClient(${jsonText(host)}${tls}) as client:\n    result = client.infer(${said.join(", ")})\n${outputs.join("\n")}`;
}

function pythonStream(said, sent) {
  const given = sent.length > 0 ? `, headers={${sent.join(", ")}}` : "";
  const { host, tls } = grpcAddress();
  return `answers = queue.Queue()

# Streams use gRPC, which has a separate port.
with triton.InferenceServerClient("${host}"${tls ? ", ssl=True" : ""}) as client:
    client.start_stream(lambda result, error: answers.put(error or result)${given})
    client.async_stream_infer(${said.join(", ")}, enable_empty_final_response=True)
    while True:
        result = answers.get()
        if isinstance(result, Exception):
            raise result
        response = result.get_response()
        for output in response.outputs:
            print(output.name, result.as_numpy(output.name))
        if response.parameters["triton_final_response"].bool_param:
            break`;
}

function pythonValue(value) {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return jsonText(value);
  if (typeof value === "object") return `{${Object.entries(value).map(([name, inner]) => `${jsonText(name)}: ${pythonValue(inner)}`).join(", ")}}`;
  if (Number.isNaN(value)) return "np.nan";
  if (value === Infinity || value === -Infinity) return value < 0 ? "-np.inf" : "np.inf";
  return String(value);
}

function rust(call) {
  const { model, tensors, options } = call;
  const files = [];
  const batched = model.max_batch_size > 0;
  const names = variables(tensors, RUST);
  const arrays = tensors.map((tensor, index) => {
    const { rust: type } = DATATYPES[tensor.datatype];
    const head = `    let ${names[index]} = ArrayD::from_shape_vec(vec![${tensor.shape.join(", ")}], `;
    if (!filed(tensor)) return `${head}vec![${Array.from(tensor.values, (value, at) => rustValue(tensor.datatype, value, at === 0)).join(", ")}])?;`;
    const file = `${names[index]}.bin`;
    if (tensor.datatype === "BYTES") {
      files.push([file, joined(Array.from(tensor.values, utf8))]);
      return `${head}vec![std::fs::read("${file}")?])?;`;
    }
    files.push([file, toBytes(tensor.datatype, tensor.values)]);
    return `    let bytes = std::fs::read("${file}")?;\n${head}${rustElements(tensor.datatype, type)})?;`;
  });
  const given = tensors.map(({ name }, index) => `(${rustText(name)}, &${names[index]})`);
  const all = given.length === 1 ? `[${given}]` : `(${given.join(", ")})`;
  const said = rustOptions(call);
  const asked = `infer_${batched ? "batch" : "sample"}${said ? "_with" : ""}(${all}${said ? ", options" : ""})`;
  const printed = model.outputs.map(({ name, datatype, optional }) => {
    const type = DATATYPES[datatype]?.rust;
    const print = `println!("{}", outputs.view::<${type}, IxDyn>(${rustText(name)})?);`;
    return optional ? `if outputs.tensor(${rustText(name)}).is_some() { ${print} }` : print;
  });
  const kind = model.decoupled ? "DecoupledModelClient" : "ModelClient";
  const url = model.decoupled ? grpcUrl() : address();
  const secret = [...(closed.get("infer") ?? [])].includes(TOKEN);
  const steps = [call.version ? `.version(${call.version})` : "", secret ? '.access_token(std::env::var("TOKEN")?)' : ""].join("");
  const made = steps ? `${kind}::builder("${url}", ${rustText(model.name)})${steps}.build()?` : `${kind}::new("${url}", ${rustText(model.name)})?`;
  const body = model.decoupled
    ? `    for outputs in client.${asked} {\n        let outputs = outputs?;\n        ${printed.join("\n        ")}\n    }`
    : `    let outputs = client.${asked}?;\n    ${printed.join("\n    ")}`;
  const used = [kind, said ? "InferOptions" : "", said.includes("SequenceStep") ? "SequenceStep" : ""].filter(Boolean).sort();
  const clients = used.length > 1 ? `{${used.join(", ")}}` : used[0];
  const types = new Set([...tensors, ...model.outputs].map(({ datatype }) => DATATYPES[datatype]?.rust).filter((type) => type === "f16" || type === "bf16"));
  const halves = types.size > 0 ? `use pytriton::client::${types.size > 1 ? "{bf16, f16}" : [...types][0]};\n` : "";
  const note = model.decoupled ? "    // Streams use gRPC, which has a separate port.\n" : "";
  const text = `use std::error::Error;

use pytriton::client::${clients};
use pytriton::client::ndarray::{ArrayD, IxDyn};
${halves}
fn main() -> Result<(), Box<dyn Error>> {
${note}    let client = ${made};
${arrays.join("\n")}
${said}${body}
    Ok(())
}`;
  return { text, files };
}

function rustOptions({ options: { id, parameters }, headers }) {
  const { sequence_id: sequence, sequence_start: start, sequence_end: end, ...others } = parameters;
  const steps = Object.entries(others).map(([name, value]) => `.parameter(${rustText(name)}, ${typeof value === "string" ? rustText(value) : String(value)})`);
  for (const [name, value] of Object.entries(headers)) steps.push(`.header(${rustText(name)}, ${rustText(value)})`);
  for (const name of [...(closed.get("infer") ?? [])].filter((name) => name !== TOKEN)) steps.push(`.header(${rustText(name)}, std::env::var("TOKEN")?)`);
  if (id) steps.push(`.id(${rustText(id)})`);
  if (sequence !== undefined) {
    const step = typeof sequence === "string" ? rustText(sequence) : `${sequence}_u64`;
    steps.push(`.sequence(SequenceStep::new(${step})${start ? ".start()" : ""}${end ? ".end()" : ""})`);
  }
  return steps.length > 0 ? `    let options = InferOptions::new()\n        ${steps.join("\n        ")};\n` : "";
}

function rustText(text) {
  const escapes = { b: "\\u{8}", f: "\\u{c}" };
  return jsonText(text).replace(/\\(?:u([0-9a-f]{4})|(.))/g, (all, code, letter) => (code ? `\\u{${code}}` : escapes[letter] ?? all));
}

function rustValue(datatype, value, first) {
  const { rust: type, float } = DATATYPES[datatype];
  if (datatype === "BYTES") return `${rustText(value)}.to_owned()`;
  if (datatype === "BOOL") return String(value);
  const half = type === "f16" || type === "bf16";
  const wide = half ? "f32" : type;
  const named = Number.isNaN(value) ? `${wide}::NAN` : value === Infinity ? `${wide}::INFINITY` : value === -Infinity ? `${wide}::NEG_INFINITY` : undefined;
  const digits = String(value);
  const text = named ?? (float && !/[.e]/.test(digits) ? `${digits}.0` : digits);
  if (half) return `${type}::from_f32(${text})`;
  return first && !named ? `${text}_${type}` : text;
}

function rustElements(datatype, type) {
  if (datatype === "BOOL") return "bytes.iter().map(|byte| *byte != 0).collect()";
  if (datatype === "UINT8") return "bytes";
  const { bytes } = DATATYPES[datatype];
  const element = bytes === 1 ? `bytes.iter().map(|byte| byte.cast_signed())` : `bytes.chunks_exact(${bytes}).map(|bytes| ${type}::from_le_bytes(bytes.try_into().unwrap_or_default()))`;
  return `${element}.collect()`;
}

// Shows the same call as programs.
class Snippets {
  constructor() {
    this.language = "curl";
    this.code = el("code");
    this.files = el("p", { class: "actions" });
    const copied = el("span", { role: "status", class: "said" });
    const copy = button("copy", async () => {
      try {
        await navigator.clipboard.writeText(this.code.textContent);
        copied.textContent = "copied";
      } catch {
        // Browsers allow access to the clipboard only over TLS and on localhost.
        getSelection().selectAllChildren(this.code);
        copied.textContent = "selected, press the copy key";
      }
      setTimeout(() => (copied.textContent = ""), 3000);
    });
    const languages = choice("language", Object.keys(LANGUAGES), "curl", (language) => {
      this.language = language;
      this.show(this.call);
    });
    const pre = el("pre", { tabindex: "0", "aria-label": "the same call as a program" }, this.code);
    this.element = el("section", { class: "card" }, el("h3", {}, "The same call"), el("div", { class: "bar" }, languages, copy, copied), pre, this.files);
  }

  show(call) {
    this.call = call;
    if (!call) return;
    try {
      const { text, files } = LANGUAGES[this.language](call);
      this.code.textContent = text;
      this.files.replaceChildren(...files.map(([name, bytes]) => button(`save ${name}`, () => save(name, bytes))));
    } catch (error) {
      this.code.textContent = error.message;
      this.files.replaceChildren();
    }
  }
}
