//! The functions of this module that `crate::fuzzing` calls. They reserve memory in the same steps
//! as the server.

use std::fmt::{self, Debug, Write};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue};
use bytes::Bytes;
use futures_util::stream::iter;
use pytriton_core::memory_budget::{MemoryBudget, MemoryPermit};
use pytriton_core::model::ModelSpec;
use pytriton_core::registry::Registry;
use pytriton_core::request::Request;
use pytriton_core::shared_memory::Regions;
use pytriton_engine::Limits;
use pytriton_kserve::proto::{BoundedMessage, Envelope, Pieces, ResponseWriter, request};
use pytriton_protocol::proto::{
    CudaSharedMemoryRegisterRequest, CudaSharedMemoryStatusRequest,
    CudaSharedMemoryUnregisterRequest, LogSettingsRequest, ModelConfigRequest,
    ModelMetadataRequest, ModelReadyRequest, ModelStatisticsRequest, RepositoryIndexRequest,
    RepositoryModelLoadRequest, RepositoryModelUnloadRequest, ServerLiveRequest,
    ServerMetadataRequest, ServerReadyRequest, SystemSharedMemoryRegisterRequest,
    SystemSharedMemoryStatusRequest, SystemSharedMemoryUnregisterRequest, TraceSettingRequest,
};
use tokio::runtime::Builder;
use tonic_health::pb::HealthCheckRequest;
use tonic_reflection::pb::v1::ServerReflectionRequest;

use crate::repository::ModelRepository;
use crate::service::fuzzing::{Decoded, echo, text};
use crate::service::routes::{Rpc, all};

use super::compression::Encoding;
use super::descriptors::Descriptors;
use super::framed::{encode, framed};
use super::message::{Buffer, Collector, Message};
use super::message_limit::MessageLimit;
use super::messages::{MessageOptions, Messages, NextMessage};
use super::reflection;
use super::request_ids::RequestIds;
use super::timed_body::TimedBody;

/// The state of a server that calls use.
#[derive(Debug)]
pub struct GrpcServer {
    spec: Arc<ModelSpec>,
    /// Contains no models. A body is read until they are shut down.
    models: Arc<ModelRepository>,
    descriptors: Descriptors,
    limits: Limits,
}

/// A call whose body has arrived completely.
#[derive(Debug)]
pub struct GrpcCall {
    rpc: Rpc,
    messages: AnyMessages,
    budget: Arc<MemoryBudget>,
}

/// A request message before it is decoded.
#[derive(Debug)]
pub struct GrpcMessage {
    rpc: Rpc,
    message: AnyMessage,
    limit: MessageLimit,
    permit: MemoryPermit,
    budget: Arc<MemoryBudget>,
}

#[derive(Debug)]
enum AnyMessages {
    Inference(Messages<Pieces>),
    Other(Messages<Buffer>),
}

#[derive(Debug)]
enum AnyMessage {
    Inference(Message<Pieces>),
    Other(Message<Buffer>),
}

impl GrpcServer {
    /// Creates a server that decodes inference requests for `spec`. `max_request_bytes` is the
    /// limit of methods that have no limit of their own.
    ///
    /// # Errors
    ///
    /// Returns the text of the error if there is no server.
    pub fn new(spec: Arc<ModelSpec>, max_request_bytes: usize) -> Decoded<Self> {
        let limits = Limits {
            max_request_bytes,
            ..Limits::default()
        };
        let registry = Registry::new(&[]).map_err(text)?;
        let runtime = Builder::new_current_thread().build().map_err(text)?;
        let models = runtime.block_on(ModelRepository::start(&registry, &limits));
        Ok(Self {
            spec,
            models: Arc::new(models.map_err(text)?),
            descriptors: reflection::descriptors(),
            limits,
        })
    }

    /// Starts a call of a method, selected by its number, with the header `grpc-encoding` and the
    /// data frames of its body.
    ///
    /// # Errors
    ///
    /// Returns the text of the error if the call is refused.
    pub fn call(
        &self,
        method: usize,
        encoding: Option<&'static str>,
        frames: impl Iterator<Item = Bytes> + Send + 'static,
        budget: &Arc<MemoryBudget>,
    ) -> Decoded<GrpcCall> {
        let methods: Vec<_> = all()
            .filter_map(|route| Some((route, route.rpc()?)))
            .collect();
        let (route, rpc) = methods[method % methods.len()];
        let header = |value| {
            (
                HeaderName::from_static("grpc-encoding"),
                HeaderValue::from_static(value),
            )
        };
        let options = MessageOptions {
            encoding: Encoding::of(&encoding.map(header).into_iter().collect()).map_err(text)?,
            limit: MessageLimit::new(route, &self.limits),
            streaming: route.is_streaming,
        };
        let body = Body::from_stream(iter(frames.map(Ok::<_, fmt::Error>)));
        let body = TimedBody::new(body, &self.limits, &self.models, None);
        let permit = budget.empty_permit();
        let messages = match rpc {
            Rpc::ModelInfer | Rpc::ModelStreamInfer => {
                AnyMessages::Inference(Messages::new(body, permit, options))
            }
            _ => AnyMessages::Other(Messages::new(body, permit, options)),
        };
        Ok(GrpcCall {
            rpc,
            messages,
            budget: Arc::clone(budget),
        })
    }
}

impl GrpcCall {
    /// Returns the next message, or `None` at the end of the call.
    ///
    /// # Errors
    ///
    /// Returns the text of the error if the frames are refused. No message follows an error.
    ///
    /// # Panics
    ///
    /// Panics if the reader waits, although all frames have arrived.
    pub fn read(&mut self) -> Option<Decoded<GrpcMessage>> {
        let (read, limit) = match &mut self.messages {
            AnyMessages::Inference(messages) => {
                (next(messages, AnyMessage::Inference), messages.limit())
            }
            AnyMessages::Other(messages) => (next(messages, AnyMessage::Other), messages.limit()),
        };
        let message = |(message, permit)| GrpcMessage {
            rpc: self.rpc,
            message,
            limit,
            permit,
            budget: Arc::clone(&self.budget),
        };
        Some(read?.map(message))
    }
}

fn next<C: Collector>(
    messages: &mut Messages<C>,
    any: impl Fn(Message<C>) -> AnyMessage,
) -> Option<Decoded<(AnyMessage, MemoryPermit)>> {
    let mut context = Context::from_waker(Waker::noop());
    let read: NextMessage<C> = match messages.poll_next(&mut context) {
        Poll::Ready(read) => read,
        Poll::Pending => panic!("the reader waits for frames that have arrived"),
    };
    let read = read?.map_err(|status| status.message().to_owned());
    Some(read.map(|(message, permit)| (any(message), permit)))
}

impl GrpcMessage {
    /// Decodes the message and returns a hash of it. An inference request is also checked, and a
    /// response is encoded. Each output of the response is the input of its name.
    ///
    /// # Errors
    ///
    /// Returns the text of the error if the message is refused.
    pub fn decode(self, server: &GrpcServer) -> Decoded<u64> {
        let Self {
            rpc,
            message,
            limit,
            permit,
            budget,
        } = self;
        let message = match message {
            AnyMessage::Inference(message) => {
                return infer(&server.spec, message, limit, permit, &budget);
            }
            AnyMessage::Other(message) => Plain {
                message,
                limit,
                permit,
            },
        };
        match rpc {
            // Collected in pieces.
            Rpc::ModelInfer | Rpc::ModelStreamInfer => Err("not collected in pieces".to_owned()),
            Rpc::ServerLive => message.decode::<ServerLiveRequest>(),
            Rpc::ServerReady => message.decode::<ServerReadyRequest>(),
            Rpc::ModelReady => message.decode::<ModelReadyRequest>(),
            Rpc::ServerMetadata => message.decode::<ServerMetadataRequest>(),
            Rpc::ModelMetadata => message.decode::<ModelMetadataRequest>(),
            Rpc::ModelConfig => message.decode::<ModelConfigRequest>(),
            Rpc::ModelStatistics => message.decode::<ModelStatisticsRequest>(),
            Rpc::RepositoryIndex => message.decode::<RepositoryIndexRequest>(),
            Rpc::RepositoryModelLoad => message.decode::<RepositoryModelLoadRequest>(),
            Rpc::RepositoryModelUnload => message.decode::<RepositoryModelUnloadRequest>(),
            Rpc::SystemSharedMemoryStatus => message.decode::<SystemSharedMemoryStatusRequest>(),
            Rpc::SystemSharedMemoryRegister => {
                message.decode::<SystemSharedMemoryRegisterRequest>()
            }
            Rpc::SystemSharedMemoryUnregister => {
                message.decode::<SystemSharedMemoryUnregisterRequest>()
            }
            Rpc::CudaSharedMemoryStatus => message.decode::<CudaSharedMemoryStatusRequest>(),
            Rpc::CudaSharedMemoryRegister => message.decode::<CudaSharedMemoryRegisterRequest>(),
            Rpc::CudaSharedMemoryUnregister => {
                message.decode::<CudaSharedMemoryUnregisterRequest>()
            }
            Rpc::TraceSetting => message.decode::<TraceSettingRequest>(),
            Rpc::LogSettings => message.decode::<LogSettingsRequest>(),
            Rpc::HealthCheck | Rpc::HealthWatch => message.decode::<HealthCheckRequest>(),
            Rpc::Reflection => message.respond::<ServerReflectionRequest, _>(|request| {
                reflection::response(&server.descriptors, request)
            }),
        }
    }
}

/// A message of a call other than an inference.
struct Plain {
    message: Message<Buffer>,
    limit: MessageLimit,
    permit: MemoryPermit,
}

impl Plain {
    fn decode<M: BoundedMessage + Debug>(mut self) -> Decoded<u64> {
        let message: M = self
            .message
            .decode(self.limit, &mut self.permit)
            .map_err(text)?;
        Ok(digest(&message))
    }

    fn respond<M: BoundedMessage + Debug, R: prost::Message>(
        mut self,
        respond: impl FnOnce(M) -> R,
    ) -> Decoded<u64> {
        let message: M = self
            .message
            .decode(self.limit, &mut self.permit)
            .map_err(text)?;
        let digest = digest(&message);
        let framed = framed(&respond(message), self.permit.sibling());
        framed.map_err(|status| status.message().to_owned())?;
        Ok(digest)
    }
}

fn infer(
    spec: &Arc<ModelSpec>,
    message: Message<Pieces>,
    limit: MessageLimit,
    mut permit: MemoryPermit,
    budget: &Arc<MemoryBudget>,
) -> Decoded<u64> {
    let (mut message, length) = message.decode(limit, &mut permit).map_err(text)?;
    let digest = digest(&message);
    let ids = RequestIds::of(&mut message, permit.sibling()).map_err(text)?;
    let mut request = request(message, spec, &Regions::default(), permit).map_err(text)?;
    let kept_bytes = length.saturating_sub(request.data_bytes());
    request.settle(kept_bytes).map_err(text)?;
    let writer = ResponseWriter::new(spec, &ids.id, &request.outputs, None, budget);
    let writer = writer.map_err(text)?;
    let request = Request::check(spec, request).map_err(text)?;
    let written = encode(&writer, echo(&request), Envelope::None).map_err(text)?;
    written.map_err(|status| status.message().to_owned())?;
    Ok(digest)
}

/// Hashes the output of `Debug` without allocating memory for it.
fn digest(message: &impl Debug) -> u64 {
    struct Digest(DefaultHasher);

    impl Write for Digest {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            text.hash(&mut self.0);
            Ok(())
        }
    }

    let mut digest = Digest(DefaultHasher::new());
    // It never fails.
    let _ = write!(digest, "{message:?}");
    digest.0.finish()
}
