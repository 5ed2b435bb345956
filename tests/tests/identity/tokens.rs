//! The names of access tokens, over each protocol and for each kind of function.

use futures_util::future::try_join_all;
use futures_util::{StreamExt, TryStreamExt};
use pytriton::client::{AsyncDecoupledModelClient, InferOptions};
use pytriton::ndarray::{Array2, Ix2};
use pytriton::options::Options;
use pytriton::options::{Endpoints, Group};
use pytriton::runtime_models::{Function, Input, Model, Output, PerBatch};

use crate::models::text;
use crate::{ALICE, ANONYMOUS, BOB, DEADLINE, NAMELESS, Result, Served, client, infer, post};

/// Requires the token for inference.
pub(crate) fn restricted(options: &mut Options) {
    options.access.restricted_endpoints = Endpoints(vec![Group::Inference]);
}

#[tokio::test(flavor = "multi_thread")]
async fn function_receives_the_name_of_the_token() -> Result {
    let served = Served::start(restricted)?;
    for url in served.urls("")? {
        for (token, expected) in [
            (ALICE, "alice - -"),
            (BOB, "bob - -"),
            (NAMELESS, ANONYMOUS),
        ] {
            let who = client(&url, "Who", token)?;
            assert_eq!(
                infer(&who, 2, InferOptions::new()).await?,
                expected,
                "{url}"
            );
        }
        for token in ["", "the-token-of-mallory"] {
            let who = client(&url, "Who", token)?;
            let refused = infer(&who, 1, InferOptions::new()).await.unwrap_err();
            assert!(refused.to_string().contains("restricted"), "{refused}");
        }
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn group_without_restriction_identifies_nobody() -> Result {
    let served = Served::start(|_| {})?;
    for url in served.urls("")? {
        for token in ["", ALICE] {
            let who = client(&url, "Who", token)?;
            assert_eq!(infer(&who, 1, InferOptions::new()).await?, ANONYMOUS);
        }
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_of_several_clients_never_share_a_call() -> Result {
    let served = Served::start(restricted)?;
    let [http, _] = served.urls("")?;
    let tokens = [ALICE, BOB, ALICE, BOB, NAMELESS, ALICE];
    let clients = tokens.map(|token| client(&http, "Batched", token));
    let clients: Vec<_> = clients.into_iter().collect::<Result<_>>()?;
    // Fetches the configuration, so that all requests arrive within the delay of the queue.
    let configured = clients.iter().map(|client| client.model_config());
    try_join_all(configured).await?;
    let responses = clients
        .iter()
        .map(|client| infer(client, 1, InferOptions::new()));
    let responses = try_join_all(responses).await?;
    let alice = "alice - - 3";
    let bob = "bob - - 2";
    assert_eq!(responses, [alice, bob, alice, bob, "- - - 1", alice]);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_and_run_time_models_receive_the_client() -> Result {
    let served = Served::start(restricted)?;
    let model = |name| {
        Model::new(name)
            .max_batch_size(8)
            .input(Input::new::<f32>("x", [1]))
            .output(Output::new::<String>("y", [1]))
    };
    let bound = Function::new(PerBatch, |call| {
        let client = text(call.identity()?);
        Ok(call.array::<f32, Ix2>("x")?.mapv(|_| client.clone()))
    });
    served.triton.bind(model("Bound").by_identity(), bound)?;
    let unbound = Function::new(PerBatch, |call| {
        let client = text(call.identity()?);
        Ok(call.array::<f32, Ix2>("x")?.mapv(|_| client.clone()))
    });
    served.triton.bind(model("Unbound"), unbound)?;
    let [http, grpc] = served.urls("")?;
    for url in [&http, &grpc] {
        let bound = client(url, "Bound", ALICE)?;
        assert_eq!(infer(&bound, 2, InferOptions::new()).await?, "alice - -");
        let unbound = client(url, "Unbound", ALICE)?;
        let error = infer(&unbound, 1, InferOptions::new()).await.unwrap_err();
        let expected =
            "model 'Unbound' reads the client of a request: declare it with `by_identity()`";
        assert!(error.to_string().contains(expected), "{error}");
    }
    let streamed = AsyncDecoupledModelClient::builder(&grpc, "Streamed").init_timeout(DEADLINE);
    let streamed = streamed.access_token(BOB).build()?;
    let responses = streamed.infer_batch(Array2::<f32>::zeros((1, 1)));
    let texts = responses.map(|outputs| {
        let array = outputs?.array::<String, Ix2>("OUTPUT_1")?;
        Ok::<_, Box<dyn std::error::Error>>(array[[0, 0]].clone())
    });
    let texts: Vec<String> = texts.try_collect().await?;
    assert_eq!(texts, ["bob - - 0", "bob - - 1"]);
    Ok(())
}

#[test]
fn every_http_route_identifies_the_client() -> Result {
    let served = Served::start(restricted)?;
    let token = format!("triton-access-token: {BOB}\r\n");
    let key = format!("authorization: Bearer {ALICE}\r\n");
    let generate = r#"{"x":1.0}"#;
    for (path, headers, body, expected) in [
        ("/v2/models/Who/generate", &token, generate, "bob - -"),
        (
            "/v2/models/Streamed/generate_stream",
            &token,
            generate,
            "bob - - 1",
        ),
        (
            "/v1/completions",
            &key,
            r#"{"model":"Complete","prompt":"I am"}"#,
            "I am alice - -",
        ),
    ] {
        let response = post(&served, path, headers, body)?;
        assert!(response.contains(expected), "{path}: {response}");
        let refused = post(&served, path, "", body)?;
        assert!(!refused.starts_with("HTTP/1.1 200"), "{path}: {refused}");
    }
    Ok(())
}
