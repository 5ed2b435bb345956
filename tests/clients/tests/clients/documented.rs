//! The Rust snippets of `docs/clients.md`, which this test compiles and runs.

use std::fs;
use std::path::Path;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use pytriton::client::ndarray::{Array2, Ix1, Ix2, array};
use pytriton::client::{
    AsyncDecoupledModelClient, AsyncModelClient, ClientError, DecoupledModelClient, InferOptions,
    ModelClient, PipelinedModelClient, SequenceStep,
};
use pytriton_tests::Engine;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::{serve, urls};

fn one_batch(url: &str) -> Result<(), ClientError> {
    let client = ModelClient::new(url, "Scale")?;
    let x = Array2::<f32>::ones((3, 4));
    let scale = Array2::from_elem((3, 1), 2.0_f32);

    let by_position = client.infer_batch((&x, &scale))?;
    let by_name = client.infer_batch((("scale", &scale), ("x", &x)))?;

    assert_eq!(by_position.view::<f32, Ix2>("y")?, &x * 2.0);
    assert_eq!(by_name.view::<f32, Ix2>("y")?, &x * 2.0);
    client.close();
    Ok(())
}

fn one_sample(url: &str) -> Result<(), ClientError> {
    let client = ModelClient::new(url, "Scale")?;
    let outputs = client.infer_sample((array![1.0_f32, 2.0], array![3.0_f32]))?;
    for (name, tensor) in outputs.tensors() {
        println!("{name}: {} {:?}", tensor.datatype(), tensor.shape());
    }
    assert_eq!(outputs.array::<f32, Ix1>("y")?, array![3.0, 6.0]);
    Ok(())
}

fn parameters_and_headers(url: &str) -> Result<(), ClientError> {
    let client = ModelClient::new(url, "Said")?;
    let options = InferOptions::new()
        .parameter("multiplier", 2)
        .header("x-divisor", "3")
        .timeout(Duration::from_secs(5));
    let outputs = client.infer_sample_with(array![1.0_f32], options)?;
    let text = &outputs.array::<String, Ix1>("OUTPUT_1")?[0];
    assert!(text.contains("multiplier=") && text.contains("x-divisor="));
    Ok(())
}

fn one_sequence(url: &str) -> Result<(), ClientError> {
    let client = ModelClient::new(url, "Sum")?;
    let step = |step| InferOptions::new().sequence(step);
    let first = step(SequenceStep::new("mine").start());
    client.infer_batch_with(array![[1_i64]], first)?;
    let last = step(SequenceStep::new("mine").end());
    let outputs = client.infer_batch_with(array![[2_i64]], last)?;
    assert_eq!(outputs.array::<i64, Ix2>("OUTPUT_1")?, array![[3]]);
    Ok(())
}

fn one_version(url: &str) -> Result<(), ClientError> {
    let client = ModelClient::builder(url, "Versioned").version(1).build()?;
    let outputs = client.infer_sample(array![1])?;
    assert_eq!(outputs.model_version(), "1");
    assert_eq!(outputs.array::<i32, Ix1>("OUTPUT_1")?, array![2]);
    Ok(())
}

fn pipelined(url: &str) -> Result<(), ClientError> {
    let client = PipelinedModelClient::builder(url, "AddSub")
        .max_in_flight(16)
        .max_queue_size(64)
        .build()?;
    let pending = (0..100).map(|number| {
        client
            .infer_sample((array![number], array![1]))
            .blocking_send()
    });
    let pending = pending.collect::<Result<Vec<_>, _>>()?;
    for (number, pending) in (0..).zip(pending) {
        let outputs = pending.wait()?;
        assert_eq!(outputs.array::<i32, Ix1>("OUTPUT_1")?, array![number + 1]);
    }
    Ok(())
}

async fn on_tokio(url: &str) -> Result<(), ClientError> {
    let client = AsyncModelClient::builder(url, "AddSub").connect().await?;
    let first = client.infer_sample((array![1], array![2]));
    let second = client.infer_sample((array![3], array![4]));
    let (first, second) = tokio::try_join!(first, second)?;
    assert_eq!(first.array::<i32, Ix1>("OUTPUT_1")?, array![3]);
    assert_eq!(second.array::<i32, Ix1>("OUTPUT_1")?, array![7]);
    Ok(())
}

async fn predict(State(client): State<AsyncModelClient>) -> Result<String, String> {
    let inputs = (array![1.0_f32, 2.0], array![3.0_f32]);
    let outputs = client.infer_sample(inputs).await;
    let y = outputs.and_then(|outputs| outputs.array::<f32, Ix1>("y"));
    match y {
        Ok(y) => Ok(format!("{:?}", y.to_vec())),
        Err(error) => Err(error.to_string()),
    }
}

fn application(url: &str) -> Result<Router, ClientError> {
    let client = AsyncModelClient::new(url, "Scale")?;
    let routes = Router::new().route("/predict", get(predict));
    Ok(routes.with_state(client))
}

/// The response of the application.
async fn predicted(url: &str) -> crate::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let mut stream = TcpStream::connect(listener.local_addr()?).await?;
    let serving = tokio::spawn(axum::serve(listener, application(url)?).into_future());
    let request = b"GET /predict HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(request).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    serving.abort();
    Ok(answer)
}

fn streamed_responses(url: &str) -> Result<(), ClientError> {
    let client = DecoupledModelClient::new(url, "Count")?;
    let mut expected = 0;
    for outputs in client.infer_sample([("count", array![3])]) {
        assert_eq!(outputs?.array::<i32, Ix1>("OUTPUT_1")?, array![expected]);
        expected += 1;
    }
    assert_eq!(expected, 3);
    Ok(())
}

async fn stream_on_tokio(url: &str) -> Result<(), ClientError> {
    use futures_util::TryStreamExt;

    let client = AsyncDecoupledModelClient::new(url, "Count")?;
    let mut responses = client.infer_sample([("count", array![3])]);
    while let Some(outputs) = responses.try_next().await? {
        println!("{}", outputs.view::<i32, Ix1>("OUTPUT_1")?);
    }
    Ok(())
}

fn timeouts(url: &str) -> Result<(), ClientError> {
    let client = ModelClient::builder(url, "AddSub")
        .init_timeout(Duration::from_secs(120))
        .inference_timeout(Duration::from_secs(240))
        .connect()?;
    client.infer_sample((array![1], array![2]))?;
    let another = ModelClient::from_existing(&client)?;
    another.infer_sample((array![1], array![2]))?;
    Ok(())
}

fn handle_errors(url: &str) -> Result<(), ClientError> {
    let client = ModelClient::new(url, "Slow")?;
    let options = InferOptions::new().timeout(Duration::from_millis(10));
    match client.infer_sample_with(array![500_u32], options) {
        Ok(outputs) => println!("{outputs:?}"),
        Err(ClientError::Timeout { stage, timeout, .. }) => println!("{stage}: {timeout:?}"),
        Err(ClientError::Server { status, message }) => println!("{status}: {message}"),
        Err(other) => return Err(other),
    }
    Ok(())
}

#[tokio::test]
async fn documented_programs_work() -> crate::Result {
    let server = serve(Engine::Embedded, &[])?;
    for url in urls(&server) {
        one_batch(&url)?;
        one_sample(&url)?;
        parameters_and_headers(&url)?;
        one_sequence(&url)?;
        one_version(&url)?;
        pipelined(&url)?;
        on_tokio(&url).await?;
        let answer = predicted(&url).await?;
        assert!(answer.ends_with("\r\n\r\n[3.0, 6.0]"), "{answer}");
        timeouts(&url)?;
        handle_errors(&url)?;
    }
    let [_, grpc] = urls(&server);
    streamed_responses(&grpc)?;
    stream_on_tokio(&grpc).await?;
    Ok(())
}

#[test]
fn documented_programs_match_the_tested_programs() -> crate::Result {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/clients.md");
    let document = fs::read_to_string(document)?;
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let run = plain(include_str!("documented.rs"));
    let shown: Vec<&str> = document
        .split("```rust\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert_eq!(shown.len(), 12);
    for piece in shown {
        assert!(run.contains(&plain(piece)), "nobody runs\n{piece}");
    }
    Ok(())
}
