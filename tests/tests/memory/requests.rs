use crate::bodies::{
    LARGE_BODY, MANY, binary, chat, deflate, groups, gzip, infer, inputs, members, nested, objects,
    outputs, parameters, prompt, repeated, row, shared,
};
use crate::costly::{Action, Costly};
use crate::frames::message;
use crate::grpc_bodies::{self, compressed};

pub(crate) const INFER: &str = "/inference.GRPCInferenceService/ModelInfer";
const STREAM_INFER: &str = "/inference.GRPCInferenceService/ModelStreamInfer";

/// Slightly less than the maximum size of a request.
const ALLOWED: usize = 60 << 20;

/// The size of a configuration that the server can parse only while nothing else uses the budget.
const CONFIG_BYTES: usize = 400 << 10;

/// A body of the maximum size that compresses well.
fn spaces() -> Vec<u8> {
    vec![b' '; ALLOWED]
}

fn http(path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
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

fn read(name: &'static str, model: &str, headers: &str, body: &[u8]) -> Costly {
    let path = format!("/v2/models/{model}/infer");
    post(name, &path, headers, body)
}

fn post(name: &'static str, path: &str, headers: &str, body: &[u8]) -> Costly {
    Costly {
        name,
        action: Action::Http(http(path, headers, body)),
        reads: true,
    }
}

fn unread(costly: Costly) -> Costly {
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

fn tensors(region: &str) -> Vec<Costly> {
    let head = |json: &str| format!("Inference-Header-Content-Length: {}\r\n", json.len());
    let of = |bytes: usize, output: &str| {
        let json = binary(bytes, output);
        let body = [json.as_bytes(), &vec![7; bytes]].concat();
        (head(&json), body)
    };
    let sent = |name, (headers, body): (String, Vec<u8>)| read(name, "I_UINT8", &headers, &body);
    let announced = {
        let json = binary(ALLOWED, r#""binary_data":true"#);
        let request = http(
            "/v2/models/I_UINT8/infer",
            &head(&json),
            &[json.as_bytes(), &vec![0; ALLOWED]].concat(),
        );
        request[..4096].to_vec()
    };
    let shared = |output: &str| shared(region, LARGE_BODY, output);
    vec![
        sent(
            "classification",
            of(LARGE_BODY / 8, r#""classification":1000000000"#),
        ),
        sent(
            "large classification",
            of(LARGE_BODY, r#""classification":1000000000"#),
        ),
        sent("tensor as JSON", of(LARGE_BODY, r#""binary_data":false"#)),
        unread(sent(
            "unread tensor",
            of(LARGE_BODY, r#""binary_data":true"#),
        )),
        Costly {
            name: "announced body",
            action: Action::Http(announced),
            reads: false,
        },
        read(
            "shared memory as JSON",
            "I_UINT8",
            "",
            shared("").as_bytes(),
        ),
        read(
            "classes of shared memory",
            "I_UINT8",
            "",
            shared(r#""classification":1000000000"#).as_bytes(),
        ),
        read("groups", "Grouped", "", groups().as_bytes()),
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

fn call(
    name: &'static str,
    path: &'static str,
    encoding: Option<&'static str>,
    messages: Vec<u8>,
) -> Costly {
    Costly {
        name,
        action: Action::Grpc {
            path,
            encoding,
            messages,
            ends: true,
        },
        reads: true,
    }
}

fn grpc_requests() -> Vec<Costly> {
    let plain = |name, request: &[u8]| call(name, INFER, None, message(request));
    let announced = Action::Grpc {
        path: INFER,
        encoding: None,
        messages: grpc_bodies::announced(ALLOWED),
        ends: false,
    };
    vec![
        plain("gRPC inputs", &grpc_bodies::inputs()),
        plain("gRPC parameters", &grpc_bodies::parameters()),
        plain(
            "gRPC empty texts",
            &grpc_bodies::empty_texts("I_STRING", LARGE_BODY / 8),
        ),
        plain(
            "gRPC many empty texts",
            &grpc_bodies::empty_texts("I_BYTES", LARGE_BODY),
        ),
        plain(
            "gRPC packed numbers",
            &grpc_bodies::packed_numbers(LARGE_BODY / 8),
        ),
        plain(
            "gRPC many packed numbers",
            &grpc_bodies::packed_numbers(LARGE_BODY),
        ),
        plain("gRPC raw contents", &grpc_bodies::raw_contents()),
        plain("gRPC classification", &grpc_bodies::classes(LARGE_BODY / 8)),
        plain("gRPC tensor", &grpc_bodies::identity(LARGE_BODY, &[])),
        Costly {
            name: "gRPC announced tensor",
            action: announced,
            reads: false,
        },
        call(
            "gRPC load",
            "/inference.GRPCInferenceService/RepositoryModelLoad",
            None,
            message(&grpc_bodies::load(LARGE_BODY)),
        ),
        call(
            "gRPC objects in a load",
            "/inference.GRPCInferenceService/RepositoryModelLoad",
            None,
            message(&grpc_bodies::load_of(objects(CONFIG_BYTES).as_bytes())),
        ),
        call(
            "gRPC trace settings",
            "/inference.GRPCInferenceService/TraceSetting",
            None,
            message(&grpc_bodies::settings()),
        ),
        call(
            "gRPC log settings",
            "/inference.GRPCInferenceService/LogSettings",
            None,
            message(&grpc_bodies::settings()),
        ),
    ]
}

fn grpc_compressed() -> Vec<Costly> {
    let gzip = Some("gzip");
    vec![
        call(
            "gRPC gzip of a tensor",
            INFER,
            gzip,
            compressed(&grpc_bodies::identity(2 * LARGE_BODY, &[])),
        ),
        call("gRPC gzip of spaces", INFER, gzip, compressed(&spaces())),
        call(
            "gRPC gzip of empty texts",
            INFER,
            gzip,
            compressed(&grpc_bodies::empty_texts("I_BYTES", LARGE_BODY)),
        ),
        call(
            "gRPC gzip of inputs",
            INFER,
            gzip,
            compressed(&grpc_bodies::inputs()),
        ),
        call(
            "gRPC gzip of a health call",
            "/inference.GRPCInferenceService/ServerLive",
            gzip,
            compressed(&spaces()),
        ),
        call(
            "gRPC gzip of settings",
            "/inference.GRPCInferenceService/TraceSetting",
            gzip,
            compressed(&grpc_bodies::settings()),
        ),
        call(
            "gRPC gzip of a load",
            "/inference.GRPCInferenceService/RepositoryModelLoad",
            gzip,
            compressed(&grpc_bodies::load(LARGE_BODY)),
        ),
    ]
}

fn streams() -> Vec<Costly> {
    let requests = grpc_bodies::stream(&grpc_bodies::identity(100_000, &[]), 100);
    let small = grpc_bodies::stream(&grpc_bodies::identity(3000, &[]), 2000);
    let flow = message(&grpc_bodies::flow(1000, 1_000_000));
    let action = |action| Costly {
        name: if matches!(action, Action::Heads) {
            "heads"
        } else {
            "watches"
        },
        action,
        reads: false,
    };
    vec![
        unread(call("gRPC stream", STREAM_INFER, None, requests)),
        unread(call(
            "gRPC stream of small requests",
            STREAM_INFER,
            None,
            small,
        )),
        unread(call("gRPC stream of responses", STREAM_INFER, None, flow)),
        unread(call(
            "gRPC unread tensor",
            INFER,
            None,
            message(&grpc_bodies::identity(LARGE_BODY, &[])),
        )),
        action(Action::Heads),
        action(Action::Watches),
    ]
}
