use std::sync::Arc;

use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::offload::by_weight;
use pytriton_core::request::{Identity, InferRequest, Parameters, TraceEvents};
use pytriton_engine::trace::{Trace, TraceContext, identified, listened};
use pytriton_kserve::proto::{Pieces, ResponseWriter, request};
use pytriton_protocol::proto::ModelInferRequest;
use pytriton_protocol::proto::infer_parameter::ParameterChoice;
use tokio::time::Instant;
use tonic::metadata::MetadataMap;

use crate::repository::Model;
use crate::service::{AppState, Error};

use super::GrpcError;
use super::forwarded::{context, forwarded};
use super::message::Message;
use super::message_limit::MessageLimit;
use super::request_ids::RequestIds;

/// The parameter by which a client requests a message after the last response.
const END: &str = "triton_enable_empty_final_response";

/// The common properties of the requests of a call.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) app_state: Arc<AppState>,
    forwarded: Parameters,
    identity: Identity,
    /// The client's trace context.
    context: Option<Box<TraceContext>>,
    /// The name of the call if each message has exactly one response.
    unary_endpoint: Option<&'static str>,
    /// When the call began, if it is traced.
    since: Option<Instant>,
}

/// A decoded message, and the fields of it that its responses repeat.
#[derive(Debug)]
pub(super) struct DecodedRequest {
    pub(super) ids: RequestIds,
    /// Whether the end of the responses is sent as a separate message.
    pub(super) end: bool,
    pub(super) request: Result<(Arc<Model>, InferRequest), Error>,
}

impl Call {
    pub(super) fn new(
        app_state: Arc<AppState>,
        metadata: &MetadataMap,
        identity: Identity,
        unary_endpoint: Option<&'static str>,
    ) -> Self {
        let forwarded = forwarded(&app_state, metadata);
        let since = app_state.models.tracer().is_on().then(Instant::now);
        let looked_at = listened() || since.is_some();
        let context = looked_at.then(|| context(metadata)).flatten();
        Self {
            app_state,
            forwarded,
            identity,
            context: context.map(Box::new),
            unary_endpoint,
            since,
        }
    }

    /// Creates the writer of the responses to a request.
    pub(super) fn writer(
        &self,
        model: &Model,
        id: &str,
        request: &InferRequest,
    ) -> Result<ResponseWriter, Error> {
        Ok(ResponseWriter::new(
            model.spec(),
            id,
            &request.outputs,
            request.shared.as_ref(),
            self.app_state.models.budget(),
        )?)
    }

    /// Decodes a message as a request. Long work runs on another thread.
    pub(super) async fn read(
        self: &Arc<Self>,
        (message, permit): (Message<Pieces>, MemoryPermit),
        limit: MessageLimit,
    ) -> Result<DecodedRequest, GrpcError> {
        let call = Arc::clone(self);
        let weight = message.weight(limit);
        by_weight(weight, move || call.read_here(message, permit, limit)).await
    }

    fn read_here(
        &self,
        message: Message<Pieces>,
        mut permit: MemoryPermit,
        limit: MessageLimit,
    ) -> Result<DecodedRequest, GrpcError> {
        let (mut message, length) = message.decode(limit, &mut permit)?;
        let ids = RequestIds::of(&mut message, permit.sibling()).map_err(Error::from)?;
        Ok(DecodedRequest {
            end: matches!(
                message.parameters.get(END).map(|end| &end.parameter_choice),
                Some(Some(ParameterChoice::BoolParam(true)))
            ),
            request: self.request(&ids, message, (length, permit)),
            ids,
        })
    }

    fn request(
        &self,
        ids: &RequestIds,
        message: ModelInferRequest,
        (length, memory): (usize, MemoryPermit),
    ) -> Result<(Arc<Model>, InferRequest), Error> {
        let name = &ids.model_name;
        let model = self.app_state.model(name, version(&ids.model_version))?;
        if let Some(endpoint) = self.unary_endpoint.filter(|_| model.spec().decoupled) {
            return Err(Error::Decoupled { endpoint });
        }
        let context = || self.context.as_deref().cloned();
        let trace = Trace::begin(model.spec(), context);
        let mut request = request(message, model.spec(), &self.app_state.regions, memory)?;
        request.trace = identified(trace, &request.id);
        for (name, value) in self.forwarded.iter() {
            request.parameters.insert(name, value.clone());
        }
        request.identity = self.identity.clone();
        // Small contents keep the whole message alive.
        let kept_bytes = length.saturating_sub(request.data_bytes());
        request.settle(kept_bytes)?;
        if let Some(timeline) = self.app_state.models.tracer().sample(name, context) {
            timeline.at(
                "GRPC_WAITREAD_START",
                self.since.unwrap_or_else(Instant::now),
            );
            timeline.now("GRPC_WAITREAD_END");
            request.traced = Some(timeline);
        }
        Ok((model, request))
    }
}

/// Returns the version in a message. An empty string selects the default.
pub(super) fn version(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}
