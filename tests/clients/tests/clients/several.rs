//! Several servers with the same models.

use std::time::Duration;

use futures_util::StreamExt;
use pytriton::client::ndarray::{Ix1, array};
use pytriton::client::{
    AsyncDecoupledModelClient, AsyncModelClient, ClientError, InferOptions, SequenceStep,
};
use pytriton_tests::{Engine, Server};
use tokio::net::{TcpSocket, TcpStream};

use crate::{Result, serve, urls};

/// Two servers, and one URL for both, over HTTP and gRPC.
fn two() -> Result<([Server; 2], [String; 2])> {
    let servers = [serve(Engine::Embedded, &[])?, serve(Engine::Embedded, &[])?];
    let [first, second] = [urls(&servers[0]), urls(&servers[1])];
    let list = |protocol: usize| {
        let (_, host) = second[protocol].split_once("://").unwrap_or_default();
        format!("{},{host}", first[protocol])
    };
    Ok((servers, [list(0), list(1)]))
}

/// Returns the number of rows that each server has processed.
async fn answered(servers: &[Server; 2], model: &str) -> Result<[u64; 2]> {
    let mut counts = [0; 2];
    for (count, server) in counts.iter_mut().zip(servers) {
        let client = AsyncModelClient::new(&urls(server)[0], model)?;
        *count = client.statistics().await?[0].inference_count;
    }
    Ok(counts)
}

#[tokio::test]
async fn requests_are_distributed_and_sequences_stay_on_one_server() -> Result {
    let (servers, lists) = two()?;
    for list in &lists {
        let client = AsyncModelClient::new(list, "AddSub")?;
        for _ in 0..10 {
            client.infer_sample((array![1], array![2])).await?;
        }
    }
    assert_eq!(answered(&servers, "AddSub").await?, [10, 10]);
    let client = AsyncModelClient::new(&lists[1], "Sum")?;
    for id in 1..9_u64 {
        for expected in 1..4_i64 {
            let step = SequenceStep::new(id);
            let step = match expected {
                1 => step.start(),
                3 => step.end(),
                _ => step,
            };
            let options = InferOptions::new().sequence(step);
            let outputs = client.infer_sample_with(array![1_i64], options).await?;
            assert_eq!(outputs.array::<i64, Ix1>("OUTPUT_1")?[0], expected);
        }
    }
    let counts = answered(&servers, "Sum").await?;
    assert!(counts[0] > 0 && counts[1] > 0, "{counts:?}");
    Ok(())
}

#[tokio::test]
async fn requests_fail_over_to_another_endpoint() -> Result {
    let (servers, lists) = two()?;
    let clients = lists
        .each_ref()
        .map(|list| AsyncModelClient::new(list, "AddSub"));
    let clients = clients
        .into_iter()
        .collect::<std::result::Result<Vec<_>, _>>()?;
    for client in &clients {
        client.infer_sample((array![1], array![2])).await?;
    }
    let [first, second] = servers;
    first.signal("KILL")?;
    first.wait(Duration::from_secs(10))?;
    for client in &clients {
        for _ in 0..10 {
            // A connection may break after a request was sent; clients do not retry such a request.
            match client.infer_sample((array![1], array![2])).await {
                Ok(_) | Err(ClientError::Lost { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        for _ in 0..10 {
            client.infer_sample((array![1], array![2])).await?;
        }
    }
    // A new client finds the other server.
    AsyncModelClient::new(&lists[0], "AddSub")?
        .infer_sample((array![1], array![2]))
        .await?;
    drop(second);
    let refused = clients[0]
        .infer_sample((array![1], array![2]))
        .await
        .unwrap_err();
    assert!(
        matches!(
            refused,
            ClientError::Connect { .. } | ClientError::Lost { .. }
        ),
        "{refused}"
    );
    Ok(())
}

#[tokio::test]
async fn a_frozen_endpoint_does_not_delay_a_ready_one() -> Result {
    let frozen = serve(Engine::Embedded, &[])?;
    let loading = serve(Engine::Embedded, &["--model-control-mode=explicit"])?;
    frozen.signal("STOP")?;
    let (frozen_urls, urls) = (urls(&frozen), urls(&loading));
    let list = format!(
        "{},{}",
        frozen_urls[0],
        urls[0].trim_start_matches("http://")
    );
    let waiting = AsyncModelClient::new(&list, "AddSub")?;
    let mut waiting =
        tokio::spawn(async move { waiting.wait_for_model(Duration::from_secs(20)).await });
    let soon = tokio::time::timeout(Duration::from_millis(200), &mut waiting).await;
    assert!(soon.is_err(), "{soon:?}");
    AsyncModelClient::new(&urls[0], "AddSub")?
        .load_model()
        .await?;
    let begun = std::time::Instant::now();
    waiting.await??;
    assert!(begun.elapsed() < Duration::from_secs(10));
    frozen.signal("CONT")?;
    Ok(())
}

#[tokio::test]
async fn unreachable_endpoint_is_skipped() -> Result {
    let server = serve(Engine::Embedded, &[])?;
    let socket = TcpSocket::new_v4()?;
    socket.bind("127.0.0.1:0".parse()?)?;
    let listener = socket.listen(1)?;
    let full = listener.local_addr()?;
    // Fills the accept queue, so that the system no longer accepts connections.
    let mut waiting = Vec::new();
    let connect = || tokio::time::timeout(Duration::from_millis(500), TcpStream::connect(full));
    while let Ok(connected) = connect().await {
        waiting.push(connected?);
    }
    for url in urls(&server) {
        let config = AsyncModelClient::new(&url, "AddSub")?
            .model_config()
            .await?;
        let (scheme, host) = url.split_once("://").unwrap_or_default();
        let list = format!("{scheme}://{full},{host}");
        // Each server gets half of the timeout.
        let client = AsyncModelClient::builder(&list, "AddSub").model_config(config);
        let client = client.inference_timeout(Duration::from_secs(8)).build()?;
        for _ in 0..4 {
            client.infer_sample((array![1], array![2])).await?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn active_streams_count_as_load() -> Result {
    let (servers, lists) = two()?;
    let client = AsyncDecoupledModelClient::new(&lists[1], "Count")?;
    let mut first =
        client.infer_sample((("count", array![1000]), ("milliseconds", array![20_u32])));
    first.next().await.ok_or("no answer")??;
    for _ in 0..4 {
        let mut short = client.infer_sample([("count", array![1])]);
        while let Some(answer) = short.next().await {
            answer?;
        }
    }
    drop(first);
    let mut counts = answered(&servers, "Count").await?;
    counts.sort_unstable();
    assert_eq!(counts[1], 4, "{counts:?}");
    Ok(())
}

#[tokio::test]
async fn frozen_endpoint_is_avoided() -> Result {
    let (servers, lists) = two()?;
    for list in &lists {
        servers[0].signal("STOP")?;
        let client =
            AsyncModelClient::builder(list, "AddSub").inference_timeout(Duration::from_secs(1));
        let client = client.connect().await?;
        let mut late = 0;
        for _ in 0..20 {
            late += u32::from(client.infer_sample((array![1], array![2])).await.is_err());
        }
        servers[0].signal("CONT")?;
        assert!(late <= 2, "{late} of 20 were late");
    }
    Ok(())
}
