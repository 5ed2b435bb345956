//! The memory of encoded messages.

use axum::response::IntoResponse;
use futures_util::FutureExt;
use futures_util::stream::iter;
use http_body_util::BodyExt;
use pytriton_core::memory_budget::MemoryBudget;
use pytriton_core::request;
use pytriton_kserve::proto::{Envelope, ResponseWriter};
use pytriton_protocol::tensor::Tensor;

use crate::testing::IDENTITY;

use super::super::GrpcResponse;
use super::super::framed::{Framed, encode};

const KIB: usize = 1 << 10;

#[test]
fn combining_messages_needs_no_additional_budget() {
    let spec = IDENTITY.spec().unwrap();
    let budget = MemoryBudget::new(100 * KIB);
    let _full = budget.reserve(100 * KIB).unwrap();
    let writer = ResponseWriter::new(&spec, "1", &[], None, &budget).unwrap();
    let response = |value: f32| {
        let tensor = Tensor::from_elements(vec![1, 200], vec![value; 200]).unwrap();
        request::Response::new([(0, tensor.into())].into_iter().collect())
    };
    let mut framed = Framed::new(writer.empty_permit());
    let mut messages = Vec::new();
    let mut expected = Vec::new();
    for value in [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0] {
        let alone = || encode(&writer, response(value), Envelope::None).unwrap();
        expected.push(alone());
        framed.append(alone().unwrap());
        if framed.is_full() {
            messages.push(Ok(framed.take()));
        }
    }
    messages.push(Ok(framed));
    assert!(messages.len() > 1);
    assert_eq!(received(messages), received(expected));
}

/// Returns the body of a response with these messages.
fn received(messages: Vec<Result<Framed, tonic::Status>>) -> Vec<u8> {
    let mut body = GrpcResponse::messages(iter(messages))
        .into_response()
        .into_body();
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().now_or_never().unwrap() {
        bytes.extend(frame.unwrap().into_data().unwrap_or_default());
    }
    bytes
}
