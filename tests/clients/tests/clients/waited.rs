//! Servers that start later than their clients.

use std::net::TcpListener;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use pytriton::client::ndarray::{Ix1, array};
use pytriton::client::{AsyncModelClient, ClientError};
use pytriton_tests::{Engine, Server};

use crate::{Result, SERVED, serve, urls};

/// A request that no server has received is retried if the client is configured to do so.
#[tokio::test]
async fn unsent_request_is_retried() -> Result {
    let known = serve(Engine::Embedded, &[])?;
    let config = AsyncModelClient::new(&urls(&known)[0], "AddSub")?
        .model_config()
        .await?;
    let ports = [
        TcpListener::bind("127.0.0.1:0")?,
        TcpListener::bind("127.0.0.1:0")?,
    ];
    let [http, grpc] = ports.map(|port| port.local_addr().map(|address| address.port()));
    let (http, grpc) = (http?, grpc?);
    let asked = [
        format!("http://127.0.0.1:{http}"),
        format!("grpc://127.0.0.1:{grpc}"),
    ]
    .map(|url| {
        let client = AsyncModelClient::builder(&url, "AddSub").model_config(Arc::clone(&config));
        tokio::spawn(async move {
            let once = client
                .clone()
                .build()?
                .infer_sample((array![1], array![2]))
                .await;
            assert!(matches!(once, Err(ClientError::Connect { .. })), "{once:?}");
            client
                .retries(12)
                .build()?
                .infer_sample((array![1], array![2]))
                .await
        })
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    let mut command = Command::new(SERVED);
    command.args([format!("--http-port={http}"), format!("--grpc-port={grpc}")]);
    command.args(["--metrics-port=0", "--openai-port=0", "--docs-port=0"]);
    let _server = Server::spawn(&mut command)?;
    for asked in asked {
        assert_eq!(asked.await??.array::<i32, Ix1>("OUTPUT_1")?, array![3]);
    }
    Ok(())
}

#[tokio::test]
async fn a_client_waits_for_a_server_that_starts_later() -> Result {
    let ports = [
        TcpListener::bind("127.0.0.1:0")?,
        TcpListener::bind("127.0.0.1:0")?,
    ];
    let [http, grpc] = ports.map(|port| port.local_addr().map(|address| address.port()));
    let (http, grpc) = (http?, grpc?);
    let urls = [
        format!("http://127.0.0.1:{http}"),
        format!("grpc://127.0.0.1:{grpc}"),
    ];
    let asked = urls.map(|url| {
        tokio::spawn(async move {
            let client = AsyncModelClient::builder(&url, "AddSub")
                .init_timeout(Duration::from_secs(30))
                .build()?;
            client.infer_sample((array![1], array![2])).await
        })
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    let mut command = Command::new(SERVED);
    command.args([format!("--http-port={http}"), format!("--grpc-port={grpc}")]);
    command.args(["--metrics-port=0", "--openai-port=0", "--docs-port=0"]);
    let _server = Server::spawn(&mut command)?;
    for asked in asked {
        assert_eq!(asked.await??.array::<i32, Ix1>("OUTPUT_1")?, array![3]);
    }
    Ok(())
}
