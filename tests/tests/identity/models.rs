//! The models of the tests: their outputs describe the client.

use std::time::Duration;

use pytriton::Error;
use pytriton::prelude::*;
use tokio::time::sleep;

/// Describes the token, the certificate and the header of a client.
pub(crate) fn text(identity: &Identity) -> String {
    let fields = [
        identity.token(),
        identity.certificate_subject(),
        identity.header(),
    ];
    fields.map(|field| field.unwrap_or("-")).join(" ")
}

fn rows(count: usize, text: String) -> Array2<String> {
    Array2::from_elem((count, 1), text)
}

#[pytriton::model(name = "Who", client = Who)]
fn who(x: ArrayView2<f32>, identity: &Identity) -> Array2<String> {
    rows(x.nrows(), text(identity))
}

/// The number of rows of the call follows the client.
#[pytriton::model(
    name = "Batched",
    max_batch_size = 8,
    max_queue_delay_microseconds = 2_000_000
)]
#[batch]
fn batched(x: ArrayView2<f32>, identity: &Identity) -> Array2<String> {
    rows(x.nrows(), format!("{} {}", text(identity), x.nrows()))
}

#[pytriton::model(name = "Streamed")]
fn streamed(x: ArrayView2<f32>, identity: &Identity) -> impl Iterator<Item = Array2<String>> {
    let (count, text) = (x.nrows(), text(identity));
    (0..2).map(move |number| rows(count, format!("{text} {number}")))
}

#[pytriton::model(name = "Caller")]
async fn caller(x: ArrayView2<'_, f32>, who: &Call<Who>) -> Result<Array2<String>, Error> {
    sleep(Duration::from_millis(1)).await;
    Ok(who.call(x).await?)
}

#[pytriton::model(name = "BatchedCaller", max_batch_size = 8)]
#[batch]
async fn batched_caller(
    x: ArrayView2<'_, f32>,
    who: &Call<Who>,
    _identity: &Identity,
) -> Result<Array2<String>, Error> {
    Ok(who.call(x).await?)
}

/// Calls once with what it inherits and once for the client of the request.
#[pytriton::model(name = "Raw")]
#[input(name = "x", datatype = FP32, shape = [-1])]
#[output(name = "inherited", shape = [1])]
#[output(name = "passed", shape = [1])]
async fn raw(
    requests: &[Request],
    who: &Call<Who>,
) -> Vec<Result<(Array2<String>, Array2<String>), Error>> {
    let mut responses = Vec::new();
    for request in requests {
        responses.push(both(request, who).await);
    }
    responses
}

async fn both(
    request: &Request,
    who: &Call<Who>,
) -> Result<(Array2<String>, Array2<String>), Error> {
    let x = || Array2::<f32>::zeros((request.batch_size(), 1));
    let inherited = who.call(x()).await?;
    let passed = who.identity(request.identity().clone()).call(x()).await?;
    Ok((inherited, passed))
}

#[pytriton::model(name = "Complete")]
#[openai(completions)]
fn complete(prompt: String, identity: &Identity) -> String {
    format!("{prompt} {}", text(identity))
}
