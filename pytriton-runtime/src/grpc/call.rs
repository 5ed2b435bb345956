use std::mem::take;
use std::sync::Arc;

use tokio::time::Instant;
use tonic::metadata::MetadataMap;

use crate::heavy::by_weight;
use crate::kserve::proto::{Pieces, request};
use crate::memory_budget::MemoryPermit;
use crate::proto::ModelInferRequest;
use crate::proto::infer_parameter::ParameterChoice;
use crate::reception::{Error, Reception};
use crate::request::{InferRequest, Parameters, Traced};
use crate::serving::Model;
use crate::trace::{Trace, TraceContext, identified, listened};

use super::GrpcError;
use super::forwarded::{context, forwarded};
use super::message::Message;
use super::message_limit::MessageLimit;

/// The parameter by which a client asks for a message behind the last answer.
const END: &str = "triton_enable_empty_final_response";

/// What the requests of a call have in common.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) reception: Arc<Reception>,
    forwarded: Parameters,
    /// The trace of the client that its requests belong to.
    context: Option<Box<TraceContext>>,
    /// What the call is called, where there is one answer to each message.
    whole: Option<&'static str>,
    /// When it came, where somebody notes such things.
    since: Option<Instant>,
}

/// A message that has been read, and what an answer to it tells of it.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) model_name: String,
    pub(super) model_version: String,
    pub(super) id: String,
    /// Whether the end of its answers is to be told in a message of its own.
    pub(super) end: bool,
    pub(super) request: Result<(Arc<Model>, InferRequest), Error>,
}

impl Call {
    pub(super) fn new(
        reception: Arc<Reception>,
        metadata: &MetadataMap,
        whole: Option<&'static str>,
    ) -> Self {
        let forwarded = forwarded(&reception, metadata);
        let since = reception.models.tracer().is_on().then(Instant::now);
        let looked_at = listened() || since.is_some();
        let context = looked_at.then(|| context(metadata)).flatten();
        Self {
            reception,
            forwarded,
            context: context.map(Box::new),
            whole,
            since,
        }
    }

    /// Reads a message as a request, on a thread of its own where that takes long.
    pub(super) async fn read(
        self: &Arc<Self>,
        (message, permit): (Message<Pieces>, MemoryPermit),
        limit: MessageLimit,
    ) -> Result<Asked, GrpcError> {
        let call = Arc::clone(self);
        let weight = message.weight(limit);
        by_weight(weight, move || call.read_here(message, permit, limit)).await
    }

    fn read_here(
        &self,
        message: Message<Pieces>,
        mut permit: MemoryPermit,
        limit: MessageLimit,
    ) -> Result<Asked, GrpcError> {
        let (mut message, length) = message.decode(limit, &mut permit)?;
        let model_name = take(&mut message.model_name);
        let model_version = take(&mut message.model_version);
        Ok(Asked {
            id: message.id.clone(),
            end: matches!(
                message.parameters.get(END).map(|end| &end.parameter_choice),
                Some(Some(ParameterChoice::BoolParam(true)))
            ),
            request: self.request(&model_name, &model_version, message, (length, permit)),
            model_name,
            model_version,
        })
    }

    fn request(
        &self,
        name: &str,
        version_text: &str,
        message: ModelInferRequest,
        (length, mut held): (usize, MemoryPermit),
    ) -> Result<(Arc<Model>, InferRequest), Error> {
        let model = self.reception.model(name, version(version_text))?;
        if let Some(door) = self.whole.filter(|_| model.spec().decoupled) {
            return Err(Error::Decoupled { door });
        }
        let context = || self.context.as_deref().cloned();
        let trace = Trace::begin(model.spec(), context);
        let mut request = request(message, model.spec(), &self.reception.regions)?;
        request.trace = identified(trace, &request.id);
        for (name, value) in self.forwarded.iter() {
            request.parameters.insert(name, value.clone());
        }
        // Small contents keep the whole message.
        held.resize(request.bytes().max(length))?;
        request.held = held.share();
        if let Some(timeline) = self.reception.models.tracer().sample(name, context) {
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

/// The version that a message names; an empty text leaves it to the server.
pub(super) fn version(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}
