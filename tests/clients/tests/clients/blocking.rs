//! Blocking clients on every kind of thread.

use std::thread;
use std::time::Duration;

use pytriton::client::ndarray::{Ix1, Ix2, array};
use pytriton::client::{ClientError, InferOptions, ModelClient, Stage};
use pytriton_tests::Server;

use crate::{Result, each};

each! {
    blocking_calls_work_on_runtime_threads, threads_share_a_client,
    client_is_created_from_another,
}

/// The tests are tasks of a runtime; blocking calls must not panic there.
async fn blocking_calls_work_on_runtime_threads(_: &Server, url: &str) -> Result {
    let client = ModelClient::builder(url, "Scale").connect()?;
    assert!(client.is_batching_supported()?);
    client.wait_for_server(Duration::from_secs(10))?;
    client.wait_for_model(Duration::from_secs(10))?;
    let x = array![[1.0_f32, 2.0], [3.0, 4.0]];
    let outputs = client.infer_batch((&x, array![[2.0_f32], [2.0]]))?;
    assert_eq!(outputs.array::<f32, Ix2>("y")?, &x * 2.0);
    let outputs = client.infer_sample([("x", array![1.0_f32]), ("scale", array![3.0])])?;
    assert_eq!(outputs.array::<f32, Ix1>("y")?, array![3.0]);
    assert_eq!(client.statistics()?[0].name, "Scale");
    let soon = InferOptions::new().timeout(Duration::from_millis(100));
    let late = ModelClient::builder(url, "Slow")
        .connect()?
        .infer_sample_with(array![500_u32], soon)
        .unwrap_err();
    assert!(
        matches!(
            late,
            ClientError::Timeout {
                stage: Stage::Inference,
                ..
            }
        ),
        "{late}"
    );
    assert!(client.load_model().is_err() && client.unload_model().is_err());
    client.close();
    assert_eq!(client.infer_batch(&x), Err(ClientError::Closed));
    drop(client);
    Ok(())
}

async fn threads_share_a_client(_: &Server, url: &str) -> Result {
    let client = ModelClient::new(url, "AddSub")?;
    let threads = (0..8_i32).map(|number| {
        let client = client.clone();
        thread::spawn(move || {
            for _ in 0..20 {
                let outputs = client.infer_sample((array![number], array![1]))?;
                assert_eq!(outputs.array::<i32, Ix1>("OUTPUT_1")?, array![number + 1]);
            }
            Ok::<_, ClientError>(())
        })
    });
    for thread in threads.collect::<Vec<_>>() {
        thread.join().unwrap()?;
    }
    Ok(())
}

async fn client_is_created_from_another(_: &Server, url: &str) -> Result {
    let client = ModelClient::new(url, "AddSub")?;
    client.infer_sample((array![1], array![1]))?;
    let another = ModelClient::from_existing(&client)?;
    client.close();
    drop(client);
    another.infer_sample((array![1], array![1]))?;
    Ok(())
}
