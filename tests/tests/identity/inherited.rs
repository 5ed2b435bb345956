//! The client of calls between models.

use futures_util::future::try_join_all;
use pytriton::client::InferOptions;
use pytriton::ndarray::{Array2, Ix2};

use crate::tokens::restricted;
use crate::{ALICE, ANONYMOUS, BOB, Result, Served, client, infer};

#[tokio::test(flavor = "multi_thread")]
async fn calls_inherit_the_client_of_their_request() -> Result {
    let served = Served::start(restricted)?;
    for url in served.urls("")? {
        for model in ["Caller", "BatchedCaller"] {
            let (alice, bob) = (client(&url, model, ALICE)?, client(&url, model, BOB)?);
            let responses = (0..6).map(|index| {
                let client = if index % 2 == 0 { &alice } else { &bob };
                infer(client, 1, InferOptions::new())
            });
            let responses = try_join_all(responses).await?;
            let expected = ["alice - -", "bob - -"].repeat(3);
            assert_eq!(responses, expected, "{url} {model}");
        }
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn raw_functions_pass_on_the_client_of_each_request() -> Result {
    let served = Served::start(restricted)?;
    for url in served.urls("")? {
        let raw = client(&url, "Raw", ALICE)?;
        let outputs = raw.infer_batch(Array2::<f32>::zeros((1, 1))).await?;
        let text = |name: &str| -> Result<String> {
            Ok(outputs.array::<String, Ix2>(name)?[[0, 0]].clone())
        };
        assert_eq!(text("inherited")?, ANONYMOUS);
        assert_eq!(text("passed")?, "alice - -");
    }
    Ok(())
}
