//! Memory limits of calls.

use std::convert::Infallible;

use axum::body::Body;
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::iter;
use pytriton_protocol::proto::InferTensorContents;

use crate::testing::settles;

use super::slow::{call, framed};
use super::*;

const KIB: usize = 1 << 10;

#[tokio::test]
async fn requests_and_responses_stay_within_the_budget() {
    let limits = Limits {
        max_bytes_in_flight: 100 * KIB,
        ..Limits::default()
    };
    let app_state = app_state(&[&IDENTITY], limits).await;
    let of = |kib: usize| framed(&message("1", &vec![1.0; kib * KIB / 4]));
    let mut many = of(45);
    let long = ModelInferRequest {
        id: "x".repeat(60 * KIB),
        ..message("1", &[1.0])
    };
    many.extend(of(45).repeat(9));
    let table = [
        // The response must fit together with its request.
        ("ModelInfer", of(45), "0"),
        ("ModelInfer", of(60), "8"),
        ("ModelInfer", of(110), "8"),
        ("ModelInfer", framed(&long), "8"),
        // Messages after the first one are ignored and reserve nothing.
        ("ModelInfer", many, "0"),
        ("ModelStreamInfer", of(20).repeat(2), "0"),
    ];
    for (number, (method, body, code)) in table.into_iter().enumerate() {
        let frames: Vec<_> = body.chunks(KIB).map(Bytes::copy_from_slice).collect();
        let body = Body::from_stream(iter(frames).map(Ok::<_, Infallible>));
        let called = call(&app_state, method, None, body).await;
        assert_eq!(called.0, code, "{number}");
        settles(app_state.models.budget(), 0).await;
    }
}

#[tokio::test]
async fn body_beyond_the_budget_is_refused_before_it_arrives() {
    let limits = Limits {
        max_bytes_in_flight: 100 * KIB,
        ..Limits::default()
    };
    let app_state = app_state(&[&IDENTITY], limits).await;
    let announced = |kib: usize| {
        let mut start = framed(&message("1", &vec![1.0; kib * KIB / 4]));
        start.truncate(200);
        Bytes::from(start)
    };
    for method in ["ModelInfer", "ModelStreamInfer"] {
        // Nothing follows the first bytes, and the client does not wait.
        let start = iter([Ok::<_, Infallible>(announced(110))]);
        let body = Body::from_stream(start.chain(futures_util::stream::pending()));
        let called = timeout(TEST_TIMEOUT, call(&app_state, method, None, body)).await;
        assert_eq!(called.unwrap().0, "8", "{method}");
        assert_eq!(app_state.models.budget().reserved(), 0);
    }
}

#[tokio::test]
async fn decoded_elements_are_reserved() {
    let limits = Limits {
        max_bytes_in_flight: 1000 * KIB,
        ..Limits::default()
    };
    let app_state = app_state(&[&IDENTITY], limits).await;
    // Two bytes each in the message, and 32 in prost's list, which grows by doubling.
    for (count, code) in [(5 * KIB, "3"), (10 * KIB, "8")] {
        let mut message = message("1", &[1.0]);
        message.raw_input_contents.clear();
        message.inputs[0].contents = Some(InferTensorContents {
            bytes_contents: vec![Bytes::new(); count],
            ..InferTensorContents::default()
        });
        let called = call(&app_state, "ModelInfer", None, framed(&message).into()).await;
        assert_eq!(called.0, code, "{count}");
        assert_eq!(app_state.models.budget().reserved(), 0);
    }
}
