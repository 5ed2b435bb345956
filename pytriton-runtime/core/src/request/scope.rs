use crate::model::ModelSpec;
use crate::trace::{self, Scope, Trace};

use super::Request;

/// Returns the scope of a batch. Its span is a child of the first request's span, and is linked to
/// the spans of all requests.
pub fn batch_scope(model: &ModelSpec, requests: &[Request]) -> Scope {
    let rows = || requests.iter().map(Request::batch_size).sum();
    trace::batch(model, traces(requests), requests.len(), rows)
}

/// Returns the scope of a call with these requests. Its span is a child of the batch's span.
pub fn function_scope(model: &ModelSpec, instance: u32, requests: &[Request]) -> Scope {
    trace::function(model, instance, traces(requests))
}

fn traces(requests: &[Request]) -> impl Iterator<Item = &Trace> + Clone {
    requests.iter().filter_map(Request::trace)
}
