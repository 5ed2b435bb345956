use crate::bodies::{LARGE_BODY, SOME_BYTES, objects};
use crate::costly::{Action, Costly};
use crate::frames::message;
use crate::grpc_bodies::{self, compressed, deflated};
use crate::requests::{ALLOWED, CONFIG_BYTES, spaces, unread};

pub(crate) const INFER: &str = "/inference.GRPCInferenceService/ModelInfer";
const STREAM_INFER: &str = "/inference.GRPCInferenceService/ModelStreamInfer";

/// The maximum number of requests of a stream in progress.
const MAX_STREAMED: usize = 1024;

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

/// Calls with one message.
pub(crate) fn grpc_requests() -> Vec<Costly> {
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
        plain("gRPC traced tensor", &grpc_bodies::traced(3000, SOME_BYTES)),
        plain("gRPC traced ID", &grpc_bodies::traced(SOME_BYTES, 1)),
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

/// Calls with one message that compresses well.
pub(crate) fn grpc_compressed() -> Vec<Costly> {
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
            "gRPC deflate of a tensor",
            INFER,
            Some("deflate"),
            deflated(&grpc_bodies::identity(SOME_BYTES, &[])),
        ),
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

/// Calls whose responses are not read.
pub(crate) fn streams() -> Vec<Costly> {
    let requests = grpc_bodies::stream(&grpc_bodies::identity(100_000, &[]), 100);
    let small = grpc_bodies::stream(&grpc_bodies::identity(3000, &[]), 2000);
    // Each response is too small to be counted alone, and all of a request fit in its channel.
    let small_responses = grpc_bodies::stream(&grpc_bodies::flow(15, 3900), MAX_STREAMED);
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
            "gRPC stream of small responses",
            STREAM_INFER,
            None,
            small_responses,
        )),
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
