//! Servers of other projects.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use futures_util::TryStreamExt;
use pytriton::client::ndarray::{Array1, Ix1, Ix2, array};
use pytriton::client::{
    AsyncDecoupledModelClient, AsyncModelClient, Builder, ClientError, DecoupledModelClient,
    InferOptions, ModelClient, PipelinedModelClient, Stage,
};
use pytriton_tests::{Foreign, Python};
use tempfile::TempDir;

use crate::{Result, folder, urls};

const TOKEN: &str = "a-token-of-at-least-32-characters-in-all";

const BROUGHT: &str = r#"{"backend": "python", "max_batch_size": 4,
    "input": [{"name": "x", "data_type": "TYPE_FP32", "dims": [-1]},
        {"name": "text", "data_type": "TYPE_STRING", "dims": [1], "optional": true}],
    "output": [{"name": "y", "data_type": "TYPE_FP32", "dims": [-1]}, {"name": "said", "data_type": "TYPE_STRING", "dims": [1]}]}"#;

fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("servers")
        .join(name)
}

fn builder(url: &str, model: &str) -> Builder<AsyncModelClient> {
    AsyncModelClient::builder(url, model).init_timeout(Duration::from_secs(60))
}

/// PyTriton itself, with routes that require a token.
fn pytriton() -> Result<(Foreign, TempDir)> {
    let home = TempDir::new()?;
    let token = home.path().join("token");
    fs::write(&token, TOKEN)?;
    let python = Python::with_pytriton_servers(folder())?;
    let token = token.display().to_string();
    let server = Foreign::start(&python, &program("pytriton_server.py"), &[&token])?;
    Ok((server, home))
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_call_models_of_pytriton() -> Result {
    let (foreign, _home) = pytriton()?;
    for url in urls(foreign.server()) {
        rows_and_samples(&url).await?;
        errors_and_timeouts(&url).await?;
        closed_routes(&url).await?;
        many_at_a_time(&url).await?;
        if url.starts_with("grpc") {
            any_number_of_responses(&url).await?;
        }
    }
    Ok(())
}

async fn rows_and_samples(url: &str) -> Result {
    let client = builder(url, "AddSub").build()?;
    let config = client.model_config().await?;
    assert_eq!((config.max_batch_size, config.from_metadata), (8, false));
    assert!(client.is_batching_supported().await?);
    let rows = (array![[1, 2], [3, 4]], array![[1, 1], [1, 1]]);
    let outputs = client.infer_batch(rows).await?;
    assert_eq!(outputs.array::<i32, Ix2>("sub")?, array![[0, 1], [2, 3]]);
    let named = [("b", array![1, 1]), ("a", array![1, 2])];
    let outputs = client.infer_sample(named).await?;
    assert_eq!(outputs.array::<i32, Ix1>("add")?, array![2, 3]);
    let one = InferOptions::new().output("sub").id("mine");
    let outputs = client
        .infer_sample_with((array![1], array![2]), one)
        .await?;
    assert_eq!((outputs.id(), outputs.tensors().len()), ("mine", 1));
    let texts: Array1<String> = array!["é".to_owned(), "ab".to_owned()];
    let outputs = builder(url, "Upper").build()?.infer_sample(texts).await?;
    let upper = outputs.array::<String, Ix1>("upper")?;
    assert_eq!(upper, array!["É".to_owned(), "AB".to_owned()]);
    let plain = builder(url, "Plain").build()?;
    assert!(!plain.is_batching_supported().await?);
    let outputs = plain.infer_sample(array![1.5_f32]).await?;
    assert_eq!(outputs.array::<f32, Ix1>("y")?, array![3.0]);
    let refused = plain.infer_batch(array![[1.5_f32]]).await.unwrap_err();
    assert!(
        matches!(refused, ClientError::NoBatching { .. }),
        "{refused}"
    );
    // The server writes to the memory of this process.
    let large: Array1<i32> = (0..100_000).collect();
    let shared = builder(url, "AddSub")
        .access_token(TOKEN)
        .shared_memory(4 << 20);
    let outputs = shared
        .build()?
        .infer_sample_with(
            (&large, &large),
            InferOptions::new().shared_output("add", 400_000),
        )
        .await?;
    assert_eq!(outputs.array::<i32, Ix1>("add")?, &large * 2);
    Ok(())
}

async fn errors_and_timeouts(url: &str) -> Result {
    let strict = builder(url, "Strict").build()?;
    let refused = strict.infer_sample(array![-1.0_f32]).await.unwrap_err();
    let ClientError::Server { message, .. } = &refused else {
        panic!("{refused:?}")
    };
    assert!(message.contains("a number is below zero"), "{message}");
    let slow = builder(url, "Slow").inference_timeout(Duration::from_millis(300));
    let late = slow
        .build()?
        .infer_sample(array![1.0_f32])
        .await
        .unwrap_err();
    assert!(
        matches!(
            late,
            ClientError::Timeout {
                stage: Stage::Inference,
                ..
            }
        ),
        "{late:?}"
    );
    let nobody = AsyncModelClient::builder(url, "Nobody").init_timeout(Duration::from_secs(1));
    let late = nobody.connect().await.unwrap_err();
    assert!(
        matches!(
            late,
            ClientError::Timeout {
                stage: Stage::Readiness,
                ..
            }
        ),
        "{late:?}"
    );
    let decoupled = builder(url, "Countdown").build()?;
    let refused = decoupled.infer_sample(array![1]).await.unwrap_err();
    assert!(
        matches!(refused, ClientError::Decoupled { .. }),
        "{refused}"
    );
    Ok(())
}

/// PyTriton restricts everything except inference, health and metadata.
async fn closed_routes(url: &str) -> Result {
    let refused = builder(url, "AddSub")
        .build()?
        .load_model()
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("restricted"), "{refused}");
    let opened = builder(url, "AddSub").access_token(TOKEN).build()?;
    let refused = opened.load_model().await.unwrap_err();
    assert!(!refused.to_string().contains("restricted"), "{refused}");
    assert_eq!(opened.statistics().await?[0].name, "AddSub");
    Ok(())
}

async fn many_at_a_time(url: &str) -> Result {
    let client = PipelinedModelClient::builder(url, "AddSub")
        .max_in_flight(16)
        .build()?;
    let asked = (0..100).map(|number| {
        client
            .infer_sample((array![number], array![1]))
            .blocking_send()
    });
    let pending =
        tokio::task::block_in_place(|| asked.collect::<std::result::Result<Vec<_>, _>>())?;
    for (number, pending) in pending.into_iter().enumerate() {
        let sum = pending.await?.array::<i32, Ix1>("add")?[0];
        assert_eq!(usize::try_from(sum)?, number + 1);
    }
    let url = url.to_owned();
    let blocking = move || {
        let client = ModelClient::new(&url, "AddSub")?;
        let outputs = client.infer_sample((array![1], array![2]))?;
        outputs.array::<i32, Ix1>("add")
    };
    assert_eq!(tokio::task::spawn_blocking(blocking).await??, array![3]);
    Ok(())
}

async fn any_number_of_responses(url: &str) -> Result {
    let client = AsyncDecoupledModelClient::new(url, "Countdown")?;
    let answers = client.infer_sample(array![3]).try_collect::<Vec<_>>();
    let numbers = answers
        .await?
        .iter()
        .map(|outputs| outputs.array::<i32, Ix1>("number"))
        .collect::<std::result::Result<Vec<_>, _>>()?;
    assert_eq!(numbers, [array![3], array![2], array![1], array![0]]);
    let coupled = AsyncDecoupledModelClient::new(url, "AddSub")?;
    let refused = coupled
        .infer_sample((array![1], array![2]))
        .try_collect::<Vec<_>>()
        .await;
    assert!(
        matches!(refused, Err(ClientError::Coupled { .. })),
        "{refused:?}"
    );
    let url = url.to_owned();
    let blocking = move || {
        let client = DecoupledModelClient::new(&url, "Countdown")?;
        client
            .infer_batch(array![[2]])
            .collect::<std::result::Result<Vec<_>, _>>()
    };
    assert_eq!(tokio::task::spawn_blocking(blocking).await??.len(), 3);
    Ok(())
}

#[tokio::test]
async fn clients_call_models_of_another_backend() -> Result {
    let home = TempDir::new()?;
    let python = Python::with_pytriton_servers(folder())?;
    let path = home.path().display().to_string();
    let foreign = Foreign::start(&python, &program("tritonserver.py"), &[&path])?;
    for url in urls(foreign.server()) {
        let client = builder(&url, "Echo").connect().await?;
        let inputs = client.model_config().await?.inputs.clone();
        assert_eq!(
            (inputs[1].name.as_str(), inputs[1].optional),
            ("text", true)
        );
        let outputs = client.infer_sample(array![1.0_f32, 2.0]).await?;
        assert_eq!(outputs.array::<f32, Ix1>("y")?, array![1.0, 2.0]);
        assert_eq!(outputs.array::<String, Ix1>("said")?[0], "nothing");
        let texts = (array![[1.0_f32]], array![["é".to_owned()]]);
        let outputs = client.infer_batch(texts).await?;
        assert_eq!(outputs.array::<String, Ix2>("said")?[[0, 0]], "é");
        let many = array![[1.0_f32], [2.0], [3.0], [4.0], [5.0]];
        let refused = client.infer_batch(many).await.unwrap_err();
        assert!(refused.to_string().contains("batch"), "{refused}");
        until_counted(&client, 2).await?;
        if url.starts_with("grpc") {
            let count = AsyncDecoupledModelClient::new(&url, "Count")?;
            let answers = count.infer_sample(array![3_i64]).try_collect::<Vec<_>>();
            assert_eq!(answers.await?.len(), 3);
        }
        loaded_from_what_the_client_has(&url).await?;
    }
    Ok(())
}

/// Waits until a model has counted this number of rows. Triton's Python backend counts a request only
/// after its response has been sent.
async fn until_counted(client: &AsyncModelClient, rows: u64) -> Result {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let counted = client.statistics().await?[0].inference_count;
        if counted >= rows {
            return Ok(());
        }
        assert!(
            Instant::now() < deadline,
            "{counted} of {rows} rows are counted"
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A model that is not in the repository.
async fn loaded_from_what_the_client_has(url: &str) -> Result {
    let client = builder(url, "Brought").build()?;
    let file: &[u8] = include_bytes!("../../servers/repository/Echo/1/model.py");
    client
        .load_model_with(BROUGHT, &[("file:1/model.py", file)])
        .await?;
    let outputs = client.infer_sample(array![3.0_f32]).await?;
    assert_eq!(outputs.array::<f32, Ix1>("y")?, array![3.0]);
    client.unload_model().await?;
    Ok(())
}

#[tokio::test]
async fn clients_call_models_of_mlserver() -> Result {
    let python = Python::with_mlserver(folder())?;
    let foreign = Foreign::start(&python, &program("mlserver_server.py"), &[])?;
    for url in urls(foreign.server()) {
        let rows = builder(&url, "Rows").connect().await?;
        let config = rows.model_config().await?;
        assert!(config.from_metadata && !config.is_batching_supported());
        assert_eq!(config.inputs[0].dims, [-1, 2]);
        let given = array![[1.0_f32, 2.0], [3.0, 4.0]];
        let outputs = rows.infer_batch(&given).await?;
        assert_eq!(outputs.array::<f32, Ix2>("x_again")?, given);
        let outputs = rows.infer_sample(&given).await?;
        assert_eq!(outputs.array::<f32, Ix2>("x_again")?, given);
        let outputs = rows.infer_sample(array![1.0_f32, 2.0]).await?;
        assert_eq!(outputs.array::<f32, Ix1>("x_again")?, array![1.0, 2.0]);
        // The server provides no metadata for this input.
        let echo = builder(&url, "Echo").build()?;
        let texts = array!["a".to_owned(), "é".to_owned()];
        let inputs = (("n", array![1_i64, -2]), ("t", &texts));
        let options = InferOptions::new().id("mine");
        let outputs = echo.infer_sample_with(inputs, options).await?;
        assert_eq!(outputs.id(), "mine");
        assert_eq!(outputs.array::<i64, Ix1>("n_again")?, array![1, -2]);
        assert_eq!(outputs.array::<String, Ix1>("t_again")?, texts);
        let refused = echo.infer_sample(array![1_i64]).await.unwrap_err();
        assert!(refused.to_string().contains("by name"), "{refused}");
        let slow = builder(&url, "Slow").inference_timeout(Duration::from_millis(300));
        let late = slow.build()?.infer_batch(&given).await.unwrap_err();
        assert!(matches!(late, ClientError::Timeout { .. }), "{late}");
        let nobody = builder(&url, "Nobody").model_config(config);
        let missing = nobody.build()?.infer_batch(&given).await.unwrap_err();
        assert!(
            matches!(missing, ClientError::ModelUnavailable { .. }),
            "{missing:?}"
        );
        // MLServer does not support Triton's extensions.
        let refused = rows.statistics().await.unwrap_err();
        assert!(matches!(refused, ClientError::Server { .. }), "{refused:?}");
        let large: Array1<f32> = Array1::zeros(40_000);
        let shared = builder(&url, "Rows").shared_memory(1 << 20).build()?;
        let refused = shared.infer_batch([("x", large)]).await.unwrap_err();
        assert!(
            matches!(refused, ClientError::SharedMemory { .. }),
            "{refused:?}"
        );
    }
    Ok(())
}
