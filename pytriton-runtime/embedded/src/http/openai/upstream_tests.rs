//! OpenAI requests to a tritonserver with arbitrary responses.

use pytriton_core::call::ModelError;
use pytriton_core::error::ErrorKind;
use pytriton_core::memory_budget::MemoryBudget;
use pytriton_core::request::{ParameterValue, Request};
use pytriton_core::response_channel::{ResponseSender, SchedulerError};
use pytriton_protocol::tensor::{DataType, Element, Tensor};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::testing::{IDENTITY, infer_request, settles};

use super::*;

const ENDED: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 0\r\n\r\n";

/// A server that sends this response to every request and keeps the connection open.
async fn upstream(said: &'static str, connections: usize) -> Arc<Upstream> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut request = [0; 1000];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(said.as_bytes()).await;
                std::future::pending::<()>().await;
            });
        }
    });
    let models = LoadedModels::new(Vec::new(), |_| None);
    let client = Arc::new(TritonserverClient::new(
        address,
        Arc::default(),
        connections,
    ));
    let upstream = Upstream::new(client, models, Arc::default());
    Arc::new(upstream)
}

fn ask(upstream: &Arc<Upstream>) -> UpstreamResponses {
    ask_with(upstream, b"{}", MemoryPermit::unlimited()).unwrap()
}

fn ask_with(
    upstream: &Arc<Upstream>,
    body: &[u8],
    permit: MemoryPermit,
) -> Result<UpstreamResponses, OpenAiError> {
    let spec = Arc::new(IDENTITY.spec().unwrap());
    upstream.ask(&spec, Vec::new(), body, permit)
}

/// Returns the sender of the responses, as the worker obtains it.
fn redeem(upstream: &Upstream, replies: &UpstreamResponses) -> ResponseSender {
    let mut request = infer_request(1, 1.0);
    let number = ParameterValue::String(replies.claim.number().to_owned());
    request.parameters.insert(CLAIM, number);
    let spec = Arc::new(IDENTITY.spec().unwrap());
    let mut request = Request::check(&spec, request).unwrap();
    upstream.side_channel.redeem(&mut request).unwrap()
}

fn text(text: &str) -> pytriton_core::request::Response {
    let data = String::encode(vec![text.to_owned()]).unwrap();
    let tensor = Tensor::new(DataType::Bytes, vec![1], data).unwrap();
    pytriton_core::request::Response::new(vec![(0, tensor.into())].into())
}

#[tokio::test]
async fn every_piece_arrives_regardless_of_the_response_of_tritonserver() {
    for said in [ENDED, "", "HTTP/1.1 500 x\r\nContent-Length: 0\r\n\r\n"] {
        let upstream = upstream(said, 1).await;
        let mut replies = ask(&upstream);
        let sink = redeem(&upstream, &replies);
        sink.send(Ok(text("a"))).unwrap();
        sink.send(Ok(text("b"))).unwrap();
        sink.end();
        while !said.is_empty() && !replies.asking.is_empty() && replies.outcome.is_none() {
            replies.outcome = replies.asking.join_next().await.and_then(Result::ok);
        }
        assert_eq!(replies.next().await, Some(Ok(text("a"))), "{said}");
        assert_eq!(replies.next().await, Some(Ok(text("b"))), "{said}");
        assert_eq!(replies.next().await, None, "{said}");
    }
}

#[tokio::test]
async fn failure_is_reported_by_the_owner_of_the_request() {
    let failed = |status, message: &str| {
        let message = message.to_owned();
        Some(Err(OpenAiError::Failed {
            status,
            message,
            retry_after: None,
        }))
    };
    for (said, expected) in [
        (
            "HTTP/1.1 400 x\r\nContent-Type: text/event-stream\r\nContent-Length: 43\r\n\r\ndata: {\"error\":\"Request timeout expired\"}\n\n",
            failed(503, "Request timeout expired"),
        ),
        (
            "HTTP/1.1 404 x\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{\"error\":\"x\"}",
            Some(Err(OpenAiError::UnknownModel {
                model: "Identity".to_owned(),
            })),
        ),
        (
            ENDED,
            failed(
                503,
                "tritonserver does not respond: it did not pass the request to the model",
            ),
        ),
    ] {
        let upstream = upstream(said, 1).await;
        let mut replies = ask(&upstream);
        assert_eq!(replies.next().await, expected, "{said}");
        assert_eq!(replies.next().await, None, "{said}");
    }
    let upstream = upstream("", 1).await;
    for (end, expected) in [
        (
            SchedulerError::Cancelled,
            failed(
                503,
                "tritonserver does not respond: the request was abandoned",
            ),
        ),
        (
            SchedulerError::Model(ModelError::Function {
                model: "m".into(),
                kind: ErrorKind::Internal,
                message: "x".to_owned(),
                retry_after: None,
            }),
            failed(500, "model 'm' failed: x"),
        ),
    ] {
        let mut replies = ask(&upstream);
        redeem(&upstream, &replies).finish(Err(end));
        assert_eq!(replies.next().await, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn number_of_upstream_connections_is_limited() {
    let upstream = upstream("", 1).await;
    let first = ask(&upstream);
    tokio::task::yield_now().await;
    let error = ask(&upstream).next().await.unwrap().unwrap_err();
    assert_eq!((error.status(), error.passes()), (503, true));
    drop(first);
    let mut third = ask(&upstream);
    redeem(&upstream, &third).end();
    assert_eq!(third.next().await, None);
}

#[test]
fn claim_is_inserted_as_a_member() {
    let table = [
        ("{}", "{\"pytriton.claim\":\"7\"}"),
        ("{\"a\":1}", "{\"pytriton.claim\":\"7\",\"a\":1}"),
    ];
    for (body, expected) in table {
        let claimed = claimed(body.as_bytes(), "7", &mut MemoryPermit::unlimited());
        assert_eq!(claimed.unwrap(), expected.as_bytes());
    }
}

#[tokio::test]
async fn the_request_to_tritonserver_is_reserved_while_it_is_sent() {
    const BUDGET: usize = 100 << 10;
    let upstream = upstream("", 9).await;
    let budget = MemoryBudget::new(BUDGET);
    for bytes in [100, 60 << 10] {
        let body = vec![b' '; bytes];
        let replies = ask_with(&upstream, &body, budget.exact_permit()).unwrap();
        assert!(budget.reserved() >= bytes, "{bytes}");
        drop(replies);
        settles(&budget, 0).await;
    }
    let refused = ask_with(&upstream, &[b' '; BUDGET], budget.exact_permit());
    assert_eq!(refused.unwrap_err().status(), 503);
    assert_eq!(budget.reserved(), 0);
}
