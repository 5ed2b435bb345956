//! A model that waits for more rows, tested without waiting.

use std::pin::pin;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::try_join_all;
use pytriton::ErrorKind;
use pytriton::error::CallError;
use pytriton::prelude::*;
use pytriton::testing::advance;

#[pytriton::model(
    name = "RowsOfACall",
    client = RowsOfACall,
    max_batch_size = 4,
    max_queue_delay_microseconds = 5_000_000,
    default_timeout_microseconds = 60_000_000
)]
#[batch]
fn rows_of_a_call(x: ArrayView2<f32>) -> Array2<u32> {
    Array2::from_elem((x.nrows(), 1), x.nrows() as u32)
}

#[pytriton::test(start_paused = true)]
async fn rows_wait_for_the_delay_or_for_a_full_batch(
    model: Call<RowsOfACall>,
) -> Result<(), CallError> {
    let row = || array![[1.0]];
    let mut first = pin!(model.call(row()));
    assert!(first.as_mut().now_or_never().is_none());
    advance(Duration::from_secs(4)).await;
    let mut second = pin!(model.call(row()));
    assert!(first.as_mut().now_or_never().is_none());
    assert!(second.as_mut().now_or_never().is_none());
    advance(Duration::from_secs(1)).await;
    assert_eq!((first.await?, second.await?), (array![[2]], array![[2]]));

    let four = [(); 4].map(|()| model.call(row()));
    for rows in try_join_all(four).await? {
        assert_eq!(rows, array![[4]]);
    }
    Ok(())
}

#[pytriton::test(start_paused = true)]
async fn time_does_not_pass_by_itself(model: Call<RowsOfACall>) {
    let mut call = pin!(model.call(array![[1.0]]));
    let mut sleep = pin!(tokio::time::sleep(Duration::from_secs(1)));
    assert!(call.as_mut().now_or_never().is_none());
    assert!(sleep.as_mut().now_or_never().is_none());
    std::thread::sleep(Duration::from_millis(20));
    assert!(call.as_mut().now_or_never().is_none());
    advance(Duration::from_secs(1)).await;
    sleep.await;
    assert!(call.as_mut().now_or_never().is_none());
    advance(Duration::from_secs(4)).await;
    assert!(call.await.is_ok());
}

#[pytriton::test]
fn a_test_may_block(model: Call<RowsOfACall>) {
    let error = model.call(Array2::zeros((5, 1))).wait().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
}
