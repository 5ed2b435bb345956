use std::sync::Arc;

use futures_util::stream::iter;
use pytriton_core::offload::by_weight;
use pytriton_core::request::{Identity, InferRequest};
use pytriton_kserve::proto::{Envelope, Pieces};
use tonic::Status;
use tonic::metadata::MetadataMap;

use crate::repository::Model;
use crate::service::{AppState, Error};

use super::call::Call;
use super::framed::{Framed, encode};
use super::messages::Messages;
use super::{GrpcError, GrpcResponse};

/// Executes an inference and encodes the response.
///
/// The outer error means that the request failed, the inner one that its response is too large.
pub(super) async fn infer(
    call: &Call,
    model: &Model,
    id: &str,
    request: InferRequest,
    envelope: Envelope,
) -> Result<Result<Framed, Status>, Error> {
    let writer = call.writer(model, id, &request)?;
    let trace = request.traced.clone();
    let response = call.app_state.infer(model, request).await?;
    let weight = writer.weight(&response);
    let write = move || encode(&writer, response, envelope);
    if let Some(trace) = &trace {
        trace.now("GRPC_SEND_START");
    }
    let written = by_weight(weight, write).await;
    if let Some(trace) = &trace {
        trace.now("GRPC_SEND_END");
    }
    Ok(written?)
}

/// Serves a call with one request and one response.
pub(super) async fn unary(
    app_state: Arc<AppState>,
    (metadata, identity): (MetadataMap, Identity),
    messages: Messages<Pieces>,
) -> GrpcResponse {
    match respond(app_state, (&metadata, identity), messages).await {
        Ok(message) => GrpcResponse::messages(iter([Ok(message)])),
        Err(status) => GrpcResponse::status(status),
    }
}

async fn respond(
    app_state: Arc<AppState>,
    (metadata, identity): (&MetadataMap, Identity),
    mut messages: Messages<Pieces>,
) -> Result<Framed, Status> {
    let call = Arc::new(Call::new(
        app_state,
        metadata,
        identity,
        Some("ModelInfer RPC"),
    ));
    let message = messages.first().await?;
    let asked = call.read(message, messages.limit()).await?;
    let arrival = messages.arrival();
    // The request keeps the permit of its message. Further messages are not counted.
    messages.end().await?;
    let (model, mut request) = asked.request.map_err(GrpcError::from)?;
    // Other requests leave the order now: later ones must not wait for their responses.
    request.arrival = arrival.filter(|_| model.spec().sequence_batching().is_some());
    let response = infer(&call, &model, &asked.ids.id, request, Envelope::None).await;
    response.map_err(GrpcError::from)?
}
