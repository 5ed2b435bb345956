use crate::Error;
use crate::host::Host;
use crate::model::{Instance, ModelError, Request, Response};

use super::Gathered;

/// What became of the requests of a batch, in their order.
pub(crate) type Results = Vec<Result<Response, Error>>;

/// Runs a batch on an instance.
pub(crate) async fn run<I: Instance + ?Sized>(host: &Host<I>, gathered: &Gathered) -> Results {
    let Gathered { requests, stacked } = gathered;
    let results = if requests.len() < 2 || !stacked.is_empty() {
        host.execute(requests, stacked).await.results
    } else {
        apart(host, requests).await
    };
    let results = results.into_iter();
    results.map(|result| result.map_err(Error::from)).collect()
}

/// tritonserver gathers requests of one shape; where it has no need to look, they may still differ.
async fn apart<I: Instance + ?Sized>(
    host: &Host<I>,
    requests: &[Request],
) -> Vec<Result<Response, ModelError>> {
    let mut results = Vec::with_capacity(requests.len());
    for alike in requests.chunk_by(|one, two| one.stacks_with(two)) {
        results.extend(host.execute(alike, &[]).await.results);
    }
    results
}
