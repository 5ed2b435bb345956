//! How many bytes calls may hold.

use std::convert::Infallible;

use axum::body::Body;
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::iter;

use super::slow::{call, framed};
use super::*;

const KIB: usize = 1 << 10;

#[tokio::test]
async fn no_more_bytes_are_held_than_may_be() {
    let limits = Limits {
        max_bytes_in_flight: 100 * KIB,
        ..Limits::default()
    };
    let registry = Registry::new(&[&IDENTITY]).unwrap();
    let reception = Reception {
        models: Arc::new(ModelSet::start(&registry, &limits).await.unwrap()),
        limits,
        forward: HeaderForward::default(),
    };
    let of = |kib: usize| framed(&message("1", &vec![1.0; kib * KIB / 4]));
    let mut many = of(45);
    let long = ModelInferRequest {
        id: "x".repeat(60 * KIB),
        ..message("1", &[1.0])
    };
    many.extend(of(45).repeat(9));
    let table = [
        // The response must have room beside its request.
        ("ModelInfer", of(45), "0"),
        ("ModelInfer", of(60), "8"),
        ("ModelInfer", of(110), "8"),
        ("ModelInfer", framed(&long), "8"),
        // Messages behind the first are not looked at, and hold nothing.
        ("ModelInfer", many, "0"),
        ("ModelStreamInfer", of(20).repeat(2), "0"),
    ];
    for (number, (method, body, code)) in table.into_iter().enumerate() {
        let frames: Vec<_> = body.chunks(KIB).map(Bytes::copy_from_slice).collect();
        let body = Body::from_stream(iter(frames).map(Ok::<_, Infallible>));
        let called = call(&reception, method, None, body).await;
        assert_eq!(called.0, code, "{number}");
        let settled = async {
            while reception.models.budget().held() > 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        timeout(PATIENCE, settled).await.unwrap();
    }
}
