//! Calls whose callers are gone or that must wait.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use pytriton::client::{AsyncModelClient, ClientError, Status};
use pytriton::ndarray::array;
use pytriton_tests::Engine;
use tokio::time::{sleep, timeout};

use crate::models::{CANCELLED, RUNNING};
use crate::{DEADLINE, Result, metrics, served, served_by, url};

async fn until(condition: impl Fn() -> bool) -> Result {
    let condition = async {
        while !condition() {
            sleep(Duration::from_millis(1)).await;
        }
    };
    Ok(timeout(DEADLINE, condition).await?)
}

/// The tests share the model and its counters, so they are one.
#[tokio::test(flavor = "multi_thread")]
async fn calls_are_cancelled_with_the_request_and_refused_by_a_full_queue() -> Result {
    let triton = served()?;
    let url = url(&triton)?;
    let client = AsyncModelClient::new(&url, "SlowCaller")?;
    // One call runs, another waits in the queue, and a third is refused.
    let running = tokio::spawn(client.infer_sample(array![[1]]));
    until(|| RUNNING.load(Ordering::SeqCst) == 1).await?;
    let waiting = tokio::spawn(client.infer_sample(array![[2]]));
    let pending = r#"nv_inference_pending_request_count{model="Slow",version="1"} 1"#;
    until(|| metrics(&triton).is_ok_and(|text| text.contains(pending))).await?;
    let refused = client.infer_sample(array![[1]]).await.unwrap_err();
    let message = refused.to_string();
    let expected =
        "the call of model 'Slow' failed: [request id: <id_unknown>] Exceeds maximum queue size";
    assert!(message.contains(expected), "{message}");
    assert!(
        matches!(
            refused,
            ClientError::Server {
                status: Status::Grpc(14),
                ..
            }
        ),
        "{refused:?}"
    );
    // The running function is cancelled, and the waiting request leaves the queue.
    let before = CANCELLED.load(Ordering::SeqCst);
    running.abort();
    until(|| CANCELLED.load(Ordering::SeqCst) == before + 1).await?;
    until(|| RUNNING.load(Ordering::SeqCst) == 1).await?;
    waiting.abort();
    until(|| CANCELLED.load(Ordering::SeqCst) == before + 2).await?;
    let served = client.infer_sample(array![[0]]);
    timeout(DEADLINE, served).await??;
    let begun = Instant::now();
    triton.stop()?;
    assert!(begun.elapsed() < DEADLINE);

    // On tritonserver, the call ends while its function only waits for it.
    let triton = served_by(Engine::Tritonserver)?;
    let client = AsyncModelClient::new(&crate::url(&triton)?, "SlowCaller")?;
    let before = CANCELLED.load(Ordering::SeqCst);
    let calls = [1, 2].map(|x| tokio::spawn(client.infer_sample(array![[x]])));
    until(|| RUNNING.load(Ordering::SeqCst) == 1).await?;
    for call in &calls {
        call.abort();
    }
    until(|| CANCELLED.load(Ordering::SeqCst) > before).await?;
    until(|| RUNNING.load(Ordering::SeqCst) == 0).await?;
    timeout(DEADLINE, client.infer_sample(array![[0]])).await??;
    triton.stop()?;
    Ok(())
}
