//! Provokes every error.

use std::net::TcpListener;
use std::time::{Duration, Instant};
use std::{fs, io};

use pytriton::client::ndarray::{Array1, array};
use pytriton::client::{
    AsyncModelClient, ClientError, InferOptions, PipelinedModelClient, Stage, Status,
};
use pytriton_tests::{Engine, Server};

use crate::{Result, each, serve, urls};

each! {
    invalid_inputs_are_refused, server_errors_are_returned, function_errors_are_returned,
    slow_model_causes_a_timeout, full_server_queue_is_an_error, missing_model_is_an_error,
    dropped_response_cancels_its_request, decoupled_model_requires_another_client,
    port_of_another_protocol_is_an_error,
}

async fn invalid_inputs_are_refused(_: &Server, url: &str) -> Result {
    let client = AsyncModelClient::new(url, "AddSub")?;
    let a = array![1];
    let message = |error: ClientError| match error {
        ClientError::Inputs { message } => message,
        other => format!("another error: {other}"),
    };
    let none = client
        .infer_sample(Vec::<Array1<i32>>::new())
        .await
        .unwrap_err();
    assert_eq!(message(none), "there are no inputs: pass at least one");
    let mixed = client.infer_sample((&a, ("b", &a))).await.unwrap_err();
    let words =
        "some inputs have names and others do not: pass all inputs by name, or all by position";
    assert_eq!(message(mixed), words);
    let many = client.infer_sample((&a, &a, &a)).await.unwrap_err();
    assert_eq!(
        message(many),
        "model AddSub has 2 inputs, got 3 by position"
    );
    let options = InferOptions::new().header("x user", "ada");
    let header = client
        .infer_sample_with((&a, &a), options)
        .await
        .unwrap_err();
    assert!(message(header).starts_with("header `x user` has a name or value"));
    Ok(())
}

async fn server_errors_are_returned(_: &Server, url: &str) -> Result {
    let client = AsyncModelClient::new(url, "AddSub")?;
    let refused = client
        .infer_sample((array![1.0_f32], array![2]))
        .await
        .unwrap_err();
    let ClientError::Server { status, message } = refused else {
        panic!("{refused}")
    };
    let expected = [Status::Http(400), Status::Grpc(3)];
    assert!(expected.contains(&status), "{status}");
    assert!(message.contains("'a'"), "{message}");
    let missing = client.infer_sample([("a", array![1])]).await.unwrap_err();
    assert!(matches!(missing, ClientError::Server { .. }), "{missing}");
    // The server does not allow loading.
    let refused = client.load_model().await.unwrap_err();
    assert!(matches!(refused, ClientError::Server { .. }), "{refused}");
    Ok(())
}

async fn function_errors_are_returned(_: &Server, url: &str) -> Result {
    let client = AsyncModelClient::new(url, "Strict")?;
    let refused = client.infer_sample(array![-1.0_f32]).await.unwrap_err();
    let ClientError::Server { message, .. } = refused else {
        panic!("{refused}")
    };
    assert!(message.contains("-1 is below zero"), "{message}");
    Ok(())
}

async fn slow_model_causes_a_timeout(_: &Server, url: &str) -> Result {
    let client = AsyncModelClient::builder(url, "Slow")
        .inference_timeout(Duration::from_millis(200))
        .connect()
        .await?;
    let late = client.infer_sample(array![600_u32]).await.unwrap_err();
    let ClientError::Timeout { stage, timeout, .. } = late else {
        panic!("{late}")
    };
    assert_eq!(
        (stage, timeout),
        (Stage::Inference, Duration::from_millis(200))
    );
    let longer = InferOptions::new().timeout(Duration::from_secs(20));
    client.infer_sample_with(array![600_u32], longer).await?;
    Ok(())
}

async fn full_server_queue_is_an_error(_: &Server, url: &str) -> Result {
    let client = AsyncModelClient::builder(url, "TinyQueue")
        .connect()
        .await?;
    let asked = (0..8).map(|_| client.infer_sample(array![100_u32]));
    let answered = futures_util::future::join_all(asked).await;
    let refused = answered.iter().filter_map(|answer| answer.as_ref().err());
    let messages: Vec<String> = refused.map(ToString::to_string).collect();
    assert!(!messages.is_empty() && messages.len() < 8, "{messages:?}");
    assert!(
        messages
            .iter()
            .all(|message| message.contains("Exceeds maximum queue size")),
        "{messages:?}"
    );
    Ok(())
}

async fn missing_model_is_an_error(_: &Server, url: &str) -> Result {
    let builder = AsyncModelClient::builder(url, "Nobody").init_timeout(Duration::from_secs(1));
    let begun = Instant::now();
    let late = builder.connect().await.unwrap_err();
    let ClientError::Timeout { stage, message, .. } = late else {
        panic!("{late}")
    };
    assert_eq!(stage, Stage::Readiness);
    assert!(message.contains("Nobody"), "{message}");
    assert!(begun.elapsed() < Duration::from_secs(5));
    // A client that does not wait fails at once.
    let config = AsyncModelClient::new(url, "Scale")?.model_config().await?;
    let client = AsyncModelClient::builder(url, "Nobody")
        .model_config(config)
        .build()?;
    let unavailable = client
        .infer_batch((array![[1.0_f32]], array![[1.0_f32]]))
        .await
        .unwrap_err();
    let ClientError::ModelUnavailable { model, .. } = unavailable else {
        panic!("{unavailable}")
    };
    assert_eq!(model, "Nobody/<latest>");
    Ok(())
}

async fn dropped_response_cancels_its_request(server: &Server, url: &str) -> Result {
    if server.engine() == Engine::Tritonserver && url.starts_with("http") {
        // tritonserver does not detect that an HTTP client has disconnected.
        return Ok(());
    }
    let client = AsyncModelClient::builder(url, "Considerate")
        .connect()
        .await?;
    let before = first_value(&client).await?;
    let asked = client.infer_sample(array![60_000_u32]);
    tokio::time::timeout(Duration::from_millis(200), asked)
        .await
        .unwrap_err();
    let begun = Instant::now();
    while first_value(&client).await? == before {
        assert!(
            begun.elapsed() < Duration::from_secs(10),
            "the function was not told"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(())
}

async fn first_value(client: &AsyncModelClient) -> Result<u32> {
    let outputs = client.infer_sample(array![0_u32]).await?;
    Ok(outputs.array::<u32, pytriton::client::ndarray::Ix1>("OUTPUT_1")?[0])
}

async fn decoupled_model_requires_another_client(_: &Server, url: &str) -> Result {
    let client = AsyncModelClient::new(url, "Count")?;
    let refused = client.infer_sample(array![2]).await.unwrap_err();
    assert!(
        matches!(refused, ClientError::Decoupled { .. }),
        "{refused}"
    );
    Ok(())
}

async fn port_of_another_protocol_is_an_error(_: &Server, url: &str) -> Result {
    let begun = Instant::now();
    if let Some(address) = url.strip_prefix("grpc://") {
        let wrong = format!("http://{address}");
        let client = AsyncModelClient::builder(&wrong, "AddSub").connect().await;
        let speaks = format!("{wrong} speaks HTTP/2 only: is this the gRPC port of the server?");
        assert_eq!(
            client.unwrap_err(),
            ClientError::Protocol { message: speaks }
        );
    }
    let secured = url.replacen("://", "s://", 1);
    let client = AsyncModelClient::builder(&secured, "AddSub")
        .connect()
        .await;
    let error = client.unwrap_err();
    assert!(matches!(error, ClientError::Tls { .. }), "{error:?}");
    assert!(begun.elapsed() < Duration::from_secs(10));
    Ok(())
}

#[tokio::test]
async fn unreachable_server_is_an_error() -> Result {
    // A port that was just released.
    let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    for scheme in ["http", "grpc"] {
        let url = format!("{scheme}://{address}");
        let client = AsyncModelClient::builder(&url, "Scale")
            .init_timeout(Duration::from_secs(1))
            .build()?;
        let late = client.model_config().await.unwrap_err();
        let ClientError::Timeout { stage, message, .. } = late else {
            panic!("{late}")
        };
        assert_eq!(stage, Stage::Readiness);
        assert!(
            message.starts_with(&format!("cannot connect to {url}: ")),
            "{message}"
        );
        let refused = client.statistics().await.unwrap_err();
        assert!(matches!(refused, ClientError::Connect { .. }), "{refused}");
    }
    Ok(())
}

#[tokio::test]
async fn killed_server_is_an_error() -> Result {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        for protocol in 0..2 {
            let server = serve(engine, &[])?;
            let url = &urls(&server)[protocol];
            let client = AsyncModelClient::builder(url, "Slow").connect().await?;
            let asked = tokio::spawn(client.infer_sample(array![20_000_u32]));
            tokio::time::sleep(Duration::from_millis(200)).await;
            server.signal("KILL")?;
            let lost = asked.await?.unwrap_err();
            assert!(matches!(lost, ClientError::Lost { .. }), "{lost:?}");
            let refused = client.infer_sample(array![0_u32]).await.unwrap_err();
            assert!(
                matches!(
                    refused,
                    ClientError::Connect { .. } | ClientError::Lost { .. }
                ),
                "{refused:?}"
            );
        }
    }
    Ok(())
}

/// Threads that were in a system call stop only a moment after the signal.
async fn until_frozen(server: &Server) -> Result {
    loop {
        let mut threads = fs::read_dir(format!("/proc/{}/task", server.pid()))?;
        let all = threads.try_fold(true, |all, thread| {
            let stat = fs::read_to_string(thread?.path().join("stat"))?;
            let state = stat.rsplit(')').next().unwrap_or_default();
            Ok::<_, io::Error>(all && state.trim_start().starts_with('T'))
        })?;
        if all {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn frozen_server_causes_a_timeout() -> Result {
    let server = serve(Engine::Embedded, &[])?;
    for url in urls(&server) {
        let client =
            AsyncModelClient::builder(&url, "AddSub").init_timeout(Duration::from_millis(500));
        let client = client.inference_timeout(Duration::from_millis(500));
        let patient = AsyncModelClient::new(&url, "AddSub")?;
        let (warm, cold) = (client.clone().connect().await?, client.build()?);
        let pipelined = PipelinedModelClient::builder(&url, "AddSub")
            .inference_timeout(Duration::from_millis(500))
            .max_in_flight(1)
            .build()?;
        let ask = || pipelined.infer_sample((array![1], array![2])).try_send();
        ask()?.await?;
        server.signal("STOP")?;
        until_frozen(&server).await?;
        let begun = Instant::now();
        // It would be fifteen seconds if the timeouts ran one after the other.
        let pending = (0..30).map(|_| ask()).collect::<Vec<_>>();
        for pending in pending {
            let late = pending?.await.unwrap_err();
            let inference = Stage::Inference;
            assert!(matches!(late, ClientError::Timeout { stage, .. } if stage == inference));
        }
        let stages = [
            warm.infer_sample((array![1], array![2])).await.unwrap_err(),
            cold.infer_sample((array![1], array![2])).await.unwrap_err(),
            // A timeout in the request applies to the whole call.
            patient
                .infer_sample_with(
                    (array![1], array![2]),
                    InferOptions::new().timeout(Duration::from_millis(300)),
                )
                .await
                .unwrap_err(),
            warm.statistics().await.unwrap_err(),
            warm.wait_for_server(Duration::from_millis(100))
                .await
                .unwrap_err(),
        ];
        server.signal("CONT")?;
        let stages = stages.map(|error| match error {
            ClientError::Timeout { stage, .. } => stage,
            other => panic!("{other:?}"),
        });
        assert_eq!(
            stages,
            [
                Stage::Inference,
                Stage::Readiness,
                Stage::Readiness,
                Stage::Request,
                Stage::Readiness
            ]
        );
        assert!(begun.elapsed() < Duration::from_secs(10));
        // The server was only suspended.
        let patient = InferOptions::new().timeout(Duration::from_secs(20));
        warm.infer_sample_with((array![1], array![2]), patient)
            .await?;
    }
    Ok(())
}

#[tokio::test]
async fn invalid_addresses_are_refused() {
    for url in ["", "ftp://localhost", "http://localhost:x", "grpc://"] {
        let invalid = AsyncModelClient::new(url, "Scale").unwrap_err();
        assert!(
            matches!(invalid, ClientError::InvalidUrl { .. }),
            "{invalid}"
        );
    }
}
