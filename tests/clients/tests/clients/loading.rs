//! Clients load and unload models.

use std::time::Duration;

use pytriton::client::ndarray::{Ix1, array};
use pytriton::client::{AsyncModelClient, ClientError, ModelClient};
use pytriton_tests::{Engine, Server};

use crate::{Result, serve, urls};

const EXPLICIT: [&str; 2] = ["--model-control-mode=explicit", "--load-model=Scale"];

/// A server whose models are loaded by clients.
fn explicit(engine: Engine) -> Result<Server> {
    Ok(serve(engine, &EXPLICIT)?)
}

async fn is_ready(url: &str) -> Result<bool> {
    let client = AsyncModelClient::new(url, "AddSub")?;
    match client.wait_for_model(Duration::from_millis(300)).await {
        Ok(()) => Ok(true),
        Err(ClientError::Timeout { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[tokio::test]
async fn loaded_model_responds_until_it_is_unloaded() -> Result {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let server = explicit(engine)?;
        for url in urls(&server) {
            let client = AsyncModelClient::new(&url, "AddSub")?;
            client.load_model().await?;
            let outputs = client.infer_sample((array![1], array![2])).await?;
            assert_eq!(outputs.array::<i32, Ix1>("OUTPUT_1")?, array![3]);
            client.unload_model().await?;
            assert!(!is_ready(&url).await?);
        }
    }
    Ok(())
}

#[test]
fn blocking_client_loads_and_unloads() -> Result {
    let server = explicit(Engine::Embedded)?;
    let client = ModelClient::new(&urls(&server)[0], "AddSub")?;
    client.load_model()?;
    client.infer_sample((array![1], array![2]))?;
    client.unload_model()?;
    Ok(())
}

#[tokio::test]
async fn each_server_receives_the_request() -> Result {
    let [first, closed, last] = [
        explicit(Engine::Embedded)?,
        serve(Engine::Embedded, &[])?,
        explicit(Engine::Embedded)?,
    ];
    for protocol in 0..2 {
        let each = [&first, &closed, &last].map(|server| urls(server)[protocol].clone());
        let hosts = each
            .each_ref()
            .map(|url| url.split_once("://").unwrap_or_default().1);
        let (scheme, _) = each[0].split_once("://").unwrap_or_default();
        let all = AsyncModelClient::new(&format!("{scheme}://{}", hosts.join(",")), "AddSub")?;
        let failed = all.load_model().await.unwrap_err();
        let ClientError::Several { failed, of } = &failed else {
            panic!("{failed}")
        };
        assert_eq!((failed.len(), *of), (1, 3), "{failed:?}");
        assert_eq!(failed[0].0, each[1]);
        assert!(is_ready(&each[0]).await? && is_ready(&each[2]).await?);
        all.unload_model().await.unwrap_err();
        assert!(!is_ready(&each[0]).await? && !is_ready(&each[2]).await?);
    }
    Ok(())
}
