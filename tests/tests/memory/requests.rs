use crate::bodies::{
    LARGE_BODY, MANY, chat, deflate, gzip, infer, inputs, members, nested, objects, outputs,
    parameters, prompt, repeated, row,
};
use crate::costly::{Action, Costly};
use crate::grpc_requests::{grpc_compressed, grpc_requests, streams};
use crate::tensor_requests::tensors;

/// Slightly less than the maximum size of a request.
pub(crate) const ALLOWED: usize = 60 << 20;

/// The size of a configuration that the server can parse only while nothing else uses the budget.
pub(crate) const CONFIG_BYTES: usize = 400 << 10;

/// A body of the maximum size that compresses well.
pub(crate) fn spaces() -> Vec<u8> {
    vec![b' '; ALLOWED]
}

/// A request whose connection ends with its response.
pub(crate) fn http(path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

/// Returns all requests. `region` is registered and has [`LARGE`] bytes.
pub(crate) fn all(region: &str) -> Vec<Costly> {
    let mut all = json();
    all.extend(compressed_bodies());
    all.extend(tensors(region));
    all.extend(settings());
    all.extend(texts());
    all.extend(grpc_requests());
    all.extend(grpc_compressed());
    all.extend(streams());
    all
}

/// An inference request.
pub(crate) fn read(name: &'static str, model: &str, headers: &str, body: &[u8]) -> Costly {
    let path = format!("/v2/models/{model}/infer");
    post(name, &path, headers, body)
}

/// A request with this body.
fn post(name: &'static str, path: &str, headers: &str, body: &[u8]) -> Costly {
    Costly {
        name,
        action: Action::Http(http(path, headers, body)),
        reads: true,
    }
}

/// The same, but its response is not read.
pub(crate) fn unread(costly: Costly) -> Costly {
    Costly {
        reads: false,
        ..costly
    }
}

fn json() -> Vec<Costly> {
    let long = format!("\"{}\"", "x".repeat(150));
    let escapes = format!("\"{}\"", repeated(r"\u0001", LARGE_BODY));
    vec![
        read(
            "parameters",
            "I_UINT8",
            "",
            parameters(&members(MANY, &long)).as_bytes(),
        ),
        read(
            "too many parameters",
            "I_UINT8",
            "",
            parameters(&members(8 * MANY, "1")).as_bytes(),
        ),
        read("inputs", "I_UINT8", "", inputs().as_bytes()),
        read("outputs", "I_UINT8", "", outputs().as_bytes()),
        read("nested arrays", "I_UINT8", "", nested().as_bytes()),
        read(
            "numbers",
            "I_FP64",
            "",
            row("FP64", "0.1234567", LARGE_BODY / 10).as_bytes(),
        ),
        read(
            "short numbers",
            "I_FP64",
            "",
            row("FP64", "0", LARGE_BODY / 4).as_bytes(),
        ),
        read(
            "escapes",
            "I_BYTES",
            "",
            infer("BYTES", 1, &escapes).as_bytes(),
        ),
        read(
            "empty texts",
            "I_STRING",
            "",
            row("BYTES", "\"\"", LARGE_BODY / 4).as_bytes(),
        ),
        read(
            "short escapes",
            "I_STRING",
            "",
            row("BYTES", r#""\u0001""#, LARGE_BODY / 9).as_bytes(),
        ),
        unread(read(
            "unread numbers",
            "I_FP64",
            "",
            row("FP64", "0", LARGE_BODY / 8).as_bytes(),
        )),
    ]
}

fn compressed_bodies() -> Vec<Costly> {
    let gzipped = "Content-Encoding: gzip\r\n";
    let numbers = gzip(row("FP64", "0", LARGE_BODY / 4).as_bytes());
    vec![
        read("gzip of spaces", "I_UINT8", gzipped, &gzip(&spaces())),
        read(
            "deflate of spaces",
            "I_UINT8",
            "Content-Encoding: deflate\r\n",
            &deflate(&spaces()),
        ),
        read(
            "gzip of numbers",
            "I_FP64",
            "Content-Encoding: gzip\r\nAccept-Encoding: gzip\r\n",
            &numbers,
        ),
        read(
            "gzip of empty texts",
            "I_BYTES",
            gzipped,
            &gzip(row("BYTES", "\"\"", LARGE_BODY / 4).as_bytes()),
        ),
        read(
            "gzip of parameters",
            "I_UINT8",
            gzipped,
            &gzip(parameters(&members(MANY, "\"xxxxxxxx\"")).as_bytes()),
        ),
    ]
}

fn settings() -> Vec<Costly> {
    let long = format!("\"{}\"", "x".repeat(150));
    let many = format!("{{{}}}", members(MANY, &long));
    let text = repeated(r"\u0020", LARGE_BODY);
    let load = format!(
        r#"{{"parameters":{{"config":"{text}","file:1/model.bin":"{}"}}}}"#,
        "A".repeat(LARGE_BODY)
    );
    let objects = objects(CONFIG_BYTES).replace('"', r#"\""#);
    let key = format!(r#"{{"key":"/{text}","offset":0,"byte_size":1}}"#);
    vec![
        post("trace settings", "/v2/trace/setting", "", many.as_bytes()),
        post("log settings", "/v2/logging", "", many.as_bytes()),
        post(
            "load",
            "/v2/repository/models/I_UINT8/load",
            "",
            load.as_bytes(),
        ),
        post(
            "load of many",
            "/v2/repository/models/I_UINT8/load",
            "",
            format!(r#"{{"parameters":{many}}}"#).as_bytes(),
        ),
        post(
            "load of objects",
            "/v2/repository/models/I_UINT8/load",
            "",
            format!(r#"{{"parameters":{{"config":"{objects}"}}}}"#).as_bytes(),
        ),
        post("index", "/v2/repository/index", "", many.as_bytes()),
        post(
            "shared memory key",
            "/v2/systemsharedmemory/region/x/register",
            "",
            key.as_bytes(),
        ),
    ]
}

fn texts() -> Vec<Costly> {
    let generate = format!(r#"{{"INPUT_1":[{}0]}}"#, "0,".repeat(LARGE_BODY / 4));
    let texts = format!(r#"{{"INPUT_1":"{}"}}"#, repeated(r"\u0001", LARGE_BODY));
    let flow = r#"{"count":1000,"bytes":1000000}"#;
    vec![
        post(
            "generate",
            "/v2/models/I_FP64/generate",
            "",
            generate.as_bytes(),
        ),
        post(
            "generate of a text",
            "/v2/models/I_STRING/generate",
            "",
            texts.as_bytes(),
        ),
        post(
            "generate of members",
            "/v2/models/I_UINT8/generate",
            "",
            format!("{{{}}}", members(MANY, "\"x\"")).as_bytes(),
        ),
        unread(post(
            "generated stream",
            "/v2/models/Flow/generate_stream",
            "",
            flow.as_bytes(),
        )),
        post(
            "chat",
            "/v1/chat/completions",
            "",
            chat(MANY, false).as_bytes(),
        ),
        post(
            "chat stream",
            "/v1/chat/completions",
            "",
            chat(MANY, true).as_bytes(),
        ),
        post(
            "completion",
            "/v1/completions",
            "",
            prompt(LARGE_BODY, false).as_bytes(),
        ),
        unread(post(
            "completion stream",
            "/v1/completions",
            "",
            prompt(LARGE_BODY, true).as_bytes(),
        )),
    ]
}
