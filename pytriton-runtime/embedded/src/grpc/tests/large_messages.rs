//! Messages that take long to decode, on one thread, and concurrent health checks.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io::Write;
use std::task::{Context, Poll};

use axum::body::{Body, to_bytes};
use axum::http::Request;
use axum::response::Response;
use bytes::{Buf, Bytes};
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::StreamExt;
use futures_util::stream::iter;
use prost::Message;
use pytriton_kserve::proto::Pieces;
use pytriton_protocol::proto::infer_parameter::ParameterChoice;
use pytriton_protocol::proto::{InferParameter, InferTensorContents, ModelStreamInferResponse};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use tower::ServiceExt;

use crate::grpc::message_limit::MessageLimit;
use crate::grpc::messages::{MessageOptions, Messages};
use crate::grpc::timed_body::TimedBody;

use super::slow::{app, framed};
use super::*;

const CHECK: &str = "/grpc.health.v1.Health/Check";
const ELEMENTS: usize = 1 << 18;

/// Returns a compressed message with its prefix.
fn compressed(message: &ModelInferRequest) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&message.encode_to_vec()).unwrap();
    let message = encoder.finish().unwrap();
    let length = u32::try_from(message.len()).unwrap();
    [&[1], &length.to_be_bytes()[..], &message].concat()
}

/// 1 MiB of raw contents, which compress well.
fn raw(id: &str) -> ModelInferRequest {
    message(id, &vec![0.0; ELEMENTS])
}

/// The same number of elements, each a protobuf number.
fn typed(id: &str) -> ModelInferRequest {
    let mut message = raw(id);
    message.raw_input_contents.clear();
    message.inputs[0].contents = Some(InferTensorContents {
        fp32_contents: vec![0.0; ELEMENTS],
        ..InferTensorContents::default()
    });
    message
}

/// A message with an excessive number of parameters.
fn parameters(id: &str) -> ModelInferRequest {
    let parameter = |number: u32| {
        let parameter_choice = Some(ParameterChoice::Int64Param(number.into()));
        (number.to_string(), InferParameter { parameter_choice })
    };
    ModelInferRequest {
        parameters: (0..20_000).map(parameter).collect(),
        ..message(id, &[1.0])
    }
}

async fn call(app_state: &AppState, path: &str, encoding: &str, body: impl Into<Body>) -> Response {
    let request = Request::post(path)
        .header("content-type", "application/grpc")
        .header("grpc-encoding", encoding)
        .body(body.into())
        .unwrap();
    routes(app_state.clone()).oneshot(request).await.unwrap()
}

#[tokio::test]
async fn probes_respond_while_messages_are_decoded() {
    let app_state = app().await;
    let bodies = [
        compressed(&raw("1")),
        framed(&typed("2")),
        framed(&parameters("3")),
        compressed(&parameters("4")),
    ];
    let mut calls = JoinSet::new();
    for turn in 0..32 {
        let (app_state, body) = (app_state.clone(), bodies[turn % bodies.len()].clone());
        calls.spawn(async move {
            let path = "/inference.GRPCInferenceService/ModelInfer";
            let response = call(&app_state, path, "gzip", body).await;
            assert_eq!(response.headers().get(tonic::Status::GRPC_STATUS), None);
        });
    }
    let begun = Instant::now();
    let mut took = Vec::new();
    while calls.try_join_next().is_none_or(|call| call.is_ok()) && !calls.is_empty() {
        let asked = Instant::now();
        let response = call(&app_state, CHECK, "identity", vec![0; 5]).await;
        assert_eq!(response.headers().get(tonic::Status::GRPC_STATUS), None);
        // Also measures when the runtime polls a timer.
        sleep(Duration::from_millis(1)).await;
        took.push(asked.elapsed());
    }
    assert_eq!(calls.len(), 0);
    // Independent of the load of the machine: no check waits for half of the work.
    let longest = took.iter().max().unwrap();
    assert!(*longest * 2 < begun.elapsed(), "{took:?}");
}

#[tokio::test]
async fn stream_responses_are_in_order_when_decoding_takes_long() {
    let app_state = app().await;
    let messages = [
        compressed(&raw("1")),
        framed(&message("2", &[1.0])),
        framed(&typed("3")),
        compressed(&message("4", &[1.0])),
        framed(&message("5", &[1.0])),
    ];
    let path = "/inference.GRPCInferenceService/ModelStreamInfer";
    let response = call(&app_state, path, "gzip", messages.concat()).await;
    let mut body: Bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    let mut ids = Vec::new();
    while body.has_remaining() {
        assert_eq!(body.get_u8(), 0);
        let length = body.get_u32() as usize;
        let message = ModelStreamInferResponse::decode(body.split_to(length)).unwrap();
        assert_eq!(message.error_message, "");
        ids.push(message.infer_response.unwrap().id);
    }
    assert_eq!(ids, ["1", "2", "3", "4", "5"]);
}

/// Returns the result of a poll, and the number of polls it took.
async fn turns<T>(mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>) -> (usize, T) {
    let mut turns = 0;
    let done = poll_fn(|context| {
        turns += 1;
        poll(context)
    });
    let done = done.await;
    (turns, done)
}

fn frames(bytes: &[u8]) -> Body {
    let frames: Vec<_> = bytes.chunks(16 << 10).map(Bytes::copy_from_slice).collect();
    Body::from_stream(iter(frames).map(Ok::<_, Infallible>))
}

#[tokio::test]
async fn decoding_many_small_fields_yields_to_other_tasks() {
    let app_state = app().await;
    let field = [0x78, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
    let message = field.repeat(60_000);
    let length = u32::try_from(message.len()).unwrap();
    let body = [&[0], &length.to_be_bytes()[..], &message].concat();
    let body = TimedBody::new(frames(&body), &app_state.limits, &app_state.models, None);
    let options = MessageOptions {
        encoding: None,
        limit: MessageLimit::input(&app_state.limits),
        streaming: false,
    };
    let permit = app_state.models.budget().empty_permit();
    let mut messages = Messages::<Pieces>::new(body, permit, options);
    let (turns, read) = turns(|context| messages.poll_next(context)).await;
    assert!(read.unwrap().is_ok());
    assert!(turns > message.len() / (64 << 10), "{turns}");
}

#[tokio::test]
async fn stream_of_many_messages_yields_to_other_tasks() {
    const MESSAGES: usize = 4096;
    let app_state = app().await;
    for path in [
        "/inference.GRPCInferenceService/ModelStreamInfer",
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    ] {
        // Any message can be empty.
        let body = framed(&ModelInferRequest::default()).repeat(MESSAGES);
        let response = call(&app_state, path, "identity", frames(&body)).await;
        let mut body = Box::pin(to_bytes(response.into_body(), usize::MAX));
        let (turns, body) = turns(|context| body.as_mut().poll(context)).await;
        assert!(body.unwrap().len() > MESSAGES);
        assert!(turns >= MESSAGES / 128, "{path}: {turns}");
    }
}

#[tokio::test]
async fn a_shape_of_very_many_dimensions_is_refused_before_it_is_read() {
    let app_state = app().await;
    let mut wide = message("1", &[1.0]);
    wide.inputs[0].shape = vec![1; 1 << 20];
    let path = "/inference.GRPCInferenceService/ModelInfer";
    let response = call(&app_state, path, "identity", framed(&wide)).await;
    assert_eq!(response.headers()[tonic::Status::GRPC_STATUS], "3");
    let message = &response.headers()[tonic::Status::GRPC_MESSAGE];
    assert!(
        message.to_str().unwrap().ends_with("dimensions"),
        "{message:?}"
    );
}
