//! A model that answers with a simpler model if the better one is too slow or fails.

use std::time::Duration;

use pytriton::prelude::*;
use pytriton::{Error, ErrorKind};
use tokio::time::{sleep, timeout};

#[pytriton::model(name = "Large", client = Large, max_batch_size = 4, batches_in_flight = 4)]
#[batch]
async fn large(x: ArrayView2<'_, f32>) -> Result<Array2<f32>, Error> {
    match x[[0, 0]] {
        4.0 => sleep(Duration::from_secs(60)).await,
        1.0 => return Err(Error::unavailable("the device is busy")),
        2.0 => return Err(Error::internal("a defect")),
        _ => {}
    }
    Ok(&x * 100.0)
}

#[pytriton::model(name = "Small", client = Small, max_batch_size = 4)]
#[batch]
fn small(x: ArrayView2<f32>) -> Array2<f32> {
    &x * 99.0
}

#[pytriton::model(name = "Best", client = Best, max_batch_size = 4, batches_in_flight = 4)]
async fn best(
    x: ArrayView2<'_, f32>,
    large: &Call<Large>,
    small: &Call<Small>,
) -> Result<Array2<f32>, Error> {
    match timeout(Duration::from_secs(1), large.call(x)).await {
        Ok(Err(error)) if error.kind() != ErrorKind::Unavailable => Err(error.into()),
        Ok(Ok(y)) => Ok(y),
        _ => Ok(small.call(x).await?),
    }
}

#[pytriton::test]
async fn slow_and_busy_models_are_replaced(
    best: Call<Best>,
) -> Result<(), pytriton::error::CallError> {
    assert_eq!(best.call(array![[3.0]]).await?, array![[300.0]]);
    assert_eq!(best.call(array![[1.0]]).await?, array![[99.0]]);
    assert_eq!(
        best.call(array![[2.0]]).await.unwrap_err().kind(),
        ErrorKind::Internal
    );
    Ok(())
}

#[pytriton::test(start_paused = true)]
async fn a_slow_model_is_replaced_after_a_second(
    best: Call<Best>,
) -> Result<(), pytriton::error::CallError> {
    let call = tokio::spawn(async move { best.call(array![[4.0]]).await });
    for _ in 0..10_000 {
        if call.is_finished() {
            break;
        }
        pytriton::testing::advance(Duration::from_millis(100)).await;
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(call.is_finished());
    assert_eq!(call.await.unwrap()?, array![[396.0]]);
    Ok(())
}
