use std::future::poll_fn;
use std::mem::take;
use std::sync::Arc;

use axum::http::Request;
use axum::response::Response;
use futures_util::stream::iter;
use tonic::Status;
use tonic::metadata::MetadataMap;

use crate::counted::counted;
use crate::heavy::by_weight;
use crate::kserve::proto::response;
use crate::proto::ModelInferResponse;
use crate::reception::{Error, Reception};
use crate::request::{self, InferRequest, RequestedOutput};
use crate::serving::Model;

use super::GrpcError;
use super::answers::{self, Pieces, framed};
use super::call::Call;
use super::compression::Encoding;
use super::messages::Messages;
use super::punctual::Punctual;

/// One inference.
pub(super) async fn infer(
    reception: &Reception,
    model: Arc<Model>,
    id: String,
    request: InferRequest,
) -> Result<ModelInferResponse, Error> {
    let requested = request.outputs.clone();
    let outputs = reception.infer(&model, request).await?;
    encoded(model, id, requested, outputs).await
}

/// A response as a message.
pub(super) async fn encoded(
    model: Arc<Model>,
    id: String,
    requested: Vec<RequestedOutput>,
    outputs: request::Response,
) -> Result<ModelInferResponse, Error> {
    let held = outputs.held.clone();
    let classes = requested.iter().any(|output| output.classification > 0);
    let weight = if classes { outputs.bytes() } else { 0 };
    let response = move || response(model.spec(), id, &requested, outputs);
    let mut response = by_weight(weight, response).await?;
    for contents in &mut response.raw_output_contents {
        *contents = counted(take(contents), held.as_ref());
    }
    Ok(response)
}

/// A call with one message and one answer.
pub(super) async fn unary(reception: Arc<Reception>, request: Request<Punctual>) -> Response {
    match answer(reception, request).await {
        Ok(message) => answers::response(iter([Ok(message)])),
        Err(status) => status.into_http(),
    }
}

async fn answer(reception: Arc<Reception>, request: Request<Punctual>) -> Result<Pieces, Status> {
    let encoding = Encoding::of(request.headers())?;
    let (parts, body) = request.into_parts();
    let mut messages = Messages::new(body, encoding, reception.limits.max_request_bytes);
    let metadata = MetadataMap::from_headers(parts.headers);
    let call = Arc::new(Call::new(reception, &metadata, Some("ModelInfer RPC")));
    let message = poll_fn(|context| messages.poll_next(context)).await;
    let asked = call.read(message.ok_or(GrpcError::NoMessage)??).await?;
    while let Some(more) = poll_fn(|context| messages.poll_next(context)).await {
        more?;
    }
    // The request has taken its message's count with it; what came behind counts no longer.
    drop(messages);
    let (model, request) = asked.request.map_err(GrpcError::from)?;
    let response = infer(&call.reception, model, asked.id, request).await;
    framed(response.map_err(GrpcError::from)?)
}
