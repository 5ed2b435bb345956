//! Requests for vectors to a tritonserver.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use pytriton_core::request::{ParameterValue, Request};
use pytriton_engine::loaded_models::LoadedModels;
use pytriton_engine::side_channel::SideChannel;
use pytriton_kserve::openai::CLAIM;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::testing::{IDENTITY, app_state, infer_request};

use super::super::super::tritonserver_client::TritonserverClient;
use super::super::Upstream;
use super::*;

const ENDED: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 0\r\n\r\n";

/// A tritonserver whose model sends this number of responses, and that ends each request some time
/// after them. Also returns the number of requests that it has ended.
async fn upstream(responses: usize) -> (Arc<Upstream>, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let client = Arc::new(TritonserverClient::new(address, Arc::default(), 9));
    let (side_channel, ended) = (Arc::<SideChannel>::default(), Arc::<AtomicUsize>::default());
    let models = LoadedModels::new(Vec::new(), |_| None);
    let upstream = Upstream::new(client, models, Arc::clone(&side_channel));
    let counted = Arc::clone(&ended);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let (side_channel, ended) = (Arc::clone(&side_channel), Arc::clone(&counted));
            tokio::spawn(async move {
                let (mut asked, claim) = (Vec::new(), format!("\"{CLAIM}\":\""));
                while !asked.ends_with(b"}") {
                    stream.read_buf(&mut asked).await.unwrap();
                }
                let asked = String::from_utf8(asked).unwrap();
                let (_, number) = asked.split_once(&claim).unwrap();
                let (number, _) = number.split_once('"').unwrap();
                let mut request = infer_request(1, 1.0);
                let number = ParameterValue::String(number.to_owned());
                request.parameters.insert(CLAIM, number);
                let spec = Arc::new(IDENTITY.spec().unwrap());
                let mut request = Request::check(&spec, request).unwrap();
                let sink = side_channel.redeem(&mut request).unwrap();
                for _ in 0..responses {
                    sink.send(Ok(Response::default())).unwrap();
                }
                sink.end();
                let early = Duration::from_millis(20);
                let closed = tokio::time::timeout(early, stream.read_u8()).await;
                if closed.is_err() {
                    ended.fetch_add(1, Ordering::SeqCst);
                    let _ = stream.write_all(ENDED.as_bytes()).await;
                }
            });
        }
    });
    (Arc::new(upstream), ended)
}

#[tokio::test]
async fn requests_to_tritonserver_end_before_the_response() {
    let app = app_state(&[&IDENTITY], Limits::default()).await;
    let spec = Arc::new(IDENTITY.spec().unwrap());
    let no_vectors = || {
        let model = "Identity".into();
        OpenAiError::NoVectors { model }
    };
    let table = [
        (0, 1, Err(no_vectors())),
        (1, 1, Ok(1)),
        (1, 2, Ok(2)),
        (1, 7, Ok(7)),
        (2, 1, Err(no_vectors())),
    ];
    for (responses, batches, expected) in table {
        let (upstream, ended) = upstream(responses).await;
        let model = TextModel::Upstream(upstream, Arc::clone(&spec));
        let batch = |_| (infer_request(1, 1.0), TrackedBytes::short(b"{}"));
        let batches: Vec<_> = (0..batches).map(batch).collect();
        let count = batches.len();
        let got = infer_all(&app, &model, &HeaderMap::new(), batches).await;
        assert_eq!(got.map(|responses| responses.len()), expected);
        if expected.is_ok() {
            assert_eq!(ended.load(Ordering::SeqCst), count);
        }
    }
}
