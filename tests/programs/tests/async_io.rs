//! A function that waits for another service: several of its calls wait at the same time.

use std::sync::LazyLock;

use futures_util::future::try_join_all;
use pytriton::error::CallError;
use pytriton::prelude::*;
use tokio::sync::Barrier;

/// Represents another service, such as a database. It responds as soon as eight requests wait.
static SERVICE: LazyLock<Barrier> = LazyLock::new(|| Barrier::new(8));

async fn price(product: u32) -> f32 {
    SERVICE.wait().await;
    product as f32 / 4.0
}

#[pytriton::model(name = "Prices", client = Prices, batching = false, batches_in_flight = 8)]
async fn prices(#[input(shape = [1])] product: ArrayView1<'_, u32>) -> Array1<f32> {
    array![price(product[0]).await]
}

#[pytriton::test]
async fn eight_calls_wait_at_the_same_time(model: Call<Prices>) -> Result<(), CallError> {
    let calls = (0..8).map(|product| model.call(array![product]));
    for (product, price) in (0..).zip(try_join_all(calls).await?) {
        assert_eq!(price, array![product as f32 / 4.0]);
    }
    Ok(())
}
