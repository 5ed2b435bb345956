//! Requests of different callers in one batch.

use std::sync::atomic::Ordering;

use futures_util::future::try_join_all;
use pytriton::client::AsyncModelClient;
use pytriton::ndarray::{Ix1, array};

use crate::models::{DOUBLED, MOST_ROWS};
use crate::{Result, served, url};

#[tokio::test(flavor = "multi_thread")]
async fn calls_of_several_requests_share_a_batch() -> Result {
    let triton = served()?;
    let url = url(&triton)?;
    let client = AsyncModelClient::new(&url, "Fan")?;
    let before = DOUBLED.load(Ordering::Relaxed);
    // 24 rows from four requests, in batches of up to 8 rows.
    let requests = (0..4).map(|_| client.infer_sample(array![6]));
    let outputs = try_join_all(requests).await?;
    for outputs in outputs {
        let doubled = outputs.array::<f32, Ix1>("OUTPUT_1")?;
        assert_eq!(doubled, array![0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
    }
    let calls = DOUBLED.load(Ordering::Relaxed) - before;
    // Other tests of this process call the model, too.
    assert!(calls <= 16, "{calls} calls for 24 rows");
    assert_eq!(MOST_ROWS.load(Ordering::Relaxed), 8);
    let outputs = client.infer_sample(array![0]).await?;
    assert_eq!(outputs.array::<f32, Ix1>("OUTPUT_1")?.len(), 0);
    triton.stop()?;
    Ok(())
}
