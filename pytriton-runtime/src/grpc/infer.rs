use std::future::poll_fn;
use std::sync::Arc;

use axum::http::Request;
use axum::response::Response;
use futures_util::stream::iter;
use tonic::Status;
use tonic::metadata::MetadataMap;

use crate::heavy::by_weight;
use crate::kserve::proto::{Envelope, ResponseWriter};
use crate::reception::{Error, Reception};
use crate::request::InferRequest;
use crate::serving::Model;

use super::GrpcError;
use super::answers::{self, Framed, written};
use super::call::Call;
use super::compression::Encoding;
use super::messages::Messages;
use super::punctual::Punctual;

/// One inference, whose response stands in a message.
///
/// Outer error: the request failed. Inner error: its response is too large.
pub(super) async fn infer(
    reception: &Reception,
    model: &Model,
    id: &str,
    request: InferRequest,
    envelope: Envelope,
) -> Result<Result<Framed, Status>, Error> {
    let writer = ResponseWriter::new(model.spec(), id, &request.outputs, request.shared.as_ref());
    let trace = request.traced.clone();
    let response = reception.infer(model, request).await?;
    let weight = writer.weight(&response);
    let write = move || written(&writer, response, envelope);
    if let Some(trace) = &trace {
        trace.now("GRPC_SEND_START");
    }
    let written = by_weight(weight, write).await;
    if let Some(trace) = &trace {
        trace.now("GRPC_SEND_END");
    }
    Ok(written?)
}

/// A call with one message and one answer.
pub(super) async fn unary(reception: Arc<Reception>, request: Request<Punctual>) -> Response {
    match answer(reception, request).await {
        Ok(message) => answers::response(iter([Ok(message)])),
        Err(status) => status.into_http(),
    }
}

async fn answer(reception: Arc<Reception>, request: Request<Punctual>) -> Result<Framed, Status> {
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
    let answer = infer(&call.reception, &model, &asked.id, request, Envelope::None).await;
    answer.map_err(GrpcError::from)?
}
