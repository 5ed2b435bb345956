//! Many concurrent requests, up to a limit.

use std::time::{Duration, Instant};

use pytriton::client::ndarray::{Ix1, array};
use pytriton::client::{AsyncModelClient, ClientError, InferOptions, PipelinedModelClient};
use pytriton_tests::Server;

use crate::{Result, each};

each! {
    one_thread_sends_many_requests, full_queue_is_an_error_or_awaited,
    dropped_request_frees_its_slot, closed_client_refuses_requests, invalid_limits_are_refused,
}

async fn one_thread_sends_many_requests(_: &Server, url: &str) -> Result {
    let client = PipelinedModelClient::builder(url, "AddSub")
        .max_in_flight(16)
        .max_queue_size(4)
        .build()?;
    let asked = (0..200).map(|number| {
        client
            .infer_sample((array![number], array![1]))
            .blocking_send()
    });
    for (number, pending) in (0..).zip(asked.collect::<std::result::Result<Vec<_>, _>>()?) {
        let outputs = match number % 2 {
            0 => pending.wait()?,
            _ => pending.await?,
        };
        assert_eq!(outputs.array::<i32, Ix1>("OUTPUT_1")?, array![number + 1]);
    }
    Ok(())
}

async fn full_queue_is_an_error_or_awaited(_: &Server, url: &str) -> Result {
    let client = PipelinedModelClient::builder(url, "Slow")
        .inference_timeout(Duration::from_secs(1))
        .max_in_flight(1)
        .max_queue_size(1)
        .build()?;
    client.infer_sample(array![0_u32]).send().await?.await?;
    let ask = |milliseconds: u32| client.infer_sample(array![milliseconds]);
    let first = ask(200).try_send()?;
    let second = ask(1).try_send()?;
    assert_eq!(
        ask(1).try_send().unwrap_err(),
        ClientError::QueueFull { limit: 1 }
    );
    // A slot becomes free when the first request completes.
    let begun = Instant::now();
    let third = ask(1).send().await?;
    assert!(begun.elapsed() > Duration::from_millis(20));
    for answered in [first, second, third] {
        answered.await?;
    }
    // No slot becomes free in time.
    let slow = || {
        let longer = InferOptions::new().timeout(Duration::from_secs(20));
        client.infer_sample_with(array![3000_u32], longer)
    };
    let taken = [slow().blocking_send()?, slow().blocking_send()?];
    let begun = Instant::now();
    let (sent, blocked) = (slow().send().await, slow().blocking_send());
    for full in [sent, blocked] {
        assert_eq!(full.unwrap_err(), ClientError::QueueFull { limit: 1 });
    }
    assert!(begun.elapsed() >= Duration::from_secs(2));
    // Drops the waiting request first, so that it does not start instead of the other.
    let [under_way, waiting] = taken;
    drop(waiting);
    drop(under_way);
    Ok(())
}

async fn dropped_request_frees_its_slot(_: &Server, url: &str) -> Result {
    let client = PipelinedModelClient::builder(url, "Slow")
        .max_in_flight(1)
        .max_queue_size(1)
        .build()?;
    client.infer_sample(array![0_u32]).send().await?.await?;
    let begun = Instant::now();
    drop([
        client.infer_sample(array![2_000_u32]).try_send()?,
        client.infer_sample(array![2_000_u32]).try_send()?,
    ]);
    // The second request gets its place when the first one starts. The server may still execute the
    // dropped requests, so only the places are timed, not the responses.
    let started = client.infer_sample(array![1_u32]).send().await?;
    let queued = client.infer_sample(array![1_u32]).send().await?;
    let waited = begun.elapsed();
    assert!(waited < Duration::from_secs(1), "{waited:?}");
    started.await?;
    queued.await?;
    Ok(())
}

async fn closed_client_refuses_requests(_: &Server, url: &str) -> Result {
    let client = PipelinedModelClient::new(url, "AddSub")?;
    client.client().wait_for_model(Duration::from_secs(10))?;
    assert_eq!(client.client().model_config()?.name, "AddSub");
    client
        .infer_sample((array![1], array![1]))
        .send()
        .await?
        .wait()?;
    client.close();
    let asked = || client.infer_sample((array![1], array![1]));
    assert_eq!(asked().send().await.unwrap_err(), ClientError::Closed);
    assert_eq!(asked().try_send().unwrap_err(), ClientError::Closed);
    assert_eq!(asked().blocking_send().unwrap_err(), ClientError::Closed);
    Ok(())
}

async fn invalid_limits_are_refused(_: &Server, url: &str) -> Result {
    for bounds in [(0, 1), (1, 0), (usize::MAX, 1)] {
        let client = PipelinedModelClient::builder(url, "AddSub")
            .max_in_flight(bounds.0)
            .max_queue_size(bounds.1);
        assert!(matches!(client.build(), Err(ClientError::Inputs { .. })));
    }
    // A plain client has no limit.
    AsyncModelClient::new(url, "AddSub")?
        .infer_sample((array![1], array![1]))
        .await?;
    Ok(())
}
