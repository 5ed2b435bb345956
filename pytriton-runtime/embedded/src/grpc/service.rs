use std::sync::Arc;

use axum::extract::Request;
use axum::http::request::Parts;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use futures_util::stream::iter;
use pytriton_core::memory_budget::MemoryBudget;
use pytriton_core::request::{Arrival, Identity};
use pytriton_core::shared_memory::Kind;
use pytriton_kserve::proto::server_metadata;
use pytriton_protocol::proto::{
    CudaSharedMemoryStatusRequest, CudaSharedMemoryUnregisterRequest,
    CudaSharedMemoryUnregisterResponse, ServerLiveRequest, ServerLiveResponse,
    ServerMetadataRequest, ServerReadyRequest, ServerReadyResponse,
    SystemSharedMemoryStatusRequest, SystemSharedMemoryUnregisterRequest,
    SystemSharedMemoryUnregisterResponse,
};
use tokio::sync::Semaphore;
use tonic::Status;
use tonic::metadata::MetadataMap;

use crate::service::routes::{Route, Rpc};
use crate::service::{AppState, Operation};

use super::compression::Encoding;
use super::descriptors::Descriptors;
use super::framed::{Framed, framed};
use super::health::MAX_WATCHES;
use super::message_limit::MessageLimit;
use super::messages::{MessageOptions, Messages};
use super::timed_body::TimedBody;
use super::unary::Unary;
use super::{
    GrpcResponse, health, infer, logging, models, reflection, shared_memory, stream, trace,
};

/// All gRPC services of a port.
#[derive(Debug)]
pub(super) struct Service {
    pub(super) app_state: Arc<AppState>,
    descriptors: Arc<Descriptors>,
    /// One permit per `Watch` stream.
    watches: Arc<Semaphore>,
    /// The budget of health calls, which never refuses. Their requests are small, and connections
    /// and streams are limited.
    unlimited: Arc<MemoryBudget>,
}

impl Service {
    pub(super) fn new(app_state: AppState) -> Self {
        Self {
            app_state: Arc::new(app_state),
            descriptors: Arc::new(reflection::descriptors()),
            watches: Arc::new(Semaphore::new(MAX_WATCHES)),
            unlimited: MemoryBudget::new(usize::MAX),
        }
    }

    /// Responds to a call.
    ///
    /// Every kind of call has its own future, so that none is larger than necessary.
    pub(super) fn call(
        self: &Arc<Self>,
        (route, rpc): (&'static Route, Rpc),
        request: Request,
    ) -> BoxFuture<'static, GrpcResponse> {
        let (mut parts, body) = request.into_parts();
        let arrival = parts.extensions.remove::<Arc<Arrival>>();
        let encoding = match Encoding::of(&parts.headers) {
            Ok(encoding) => encoding,
            Err(error) => return ready(error.into()).boxed(),
        };
        let app_state = Arc::clone(&self.app_state);
        let options = MessageOptions {
            encoding,
            limit: MessageLimit::new(route, &app_state.limits),
            streaming: route.is_streaming,
        };
        let body = TimedBody::new(body, &app_state.limits, &app_state.models, arrival);
        let budget = match route.is_health() {
            true => &self.unlimited,
            false => app_state.models.budget(),
        };
        let permit = budget.empty_permit();
        match rpc {
            Rpc::ModelInfer => {
                let identity = identity(&app_state, &parts);
                let metadata = MetadataMap::from_headers(parts.headers);
                let messages = Messages::new(body, permit, options);
                infer::unary(app_state, (metadata, identity), messages).boxed()
            }
            Rpc::ModelStreamInfer => {
                let identity = identity(&app_state, &parts);
                let metadata = MetadataMap::from_headers(parts.headers);
                let messages = Messages::new(body, permit, options);
                ready(stream::stream(app_state, (&metadata, identity), messages)).boxed()
            }
            Rpc::HealthWatch => {
                let unary = Unary::new(Messages::new(body, permit, options));
                let (models, watches) = (Arc::clone(&app_state.models), Arc::clone(&self.watches));
                health::watch(models, watches, Arc::clone(&self.unlimited), unary).boxed()
            }
            Rpc::Reflection => {
                let messages = Messages::new(body, permit, options);
                ready(reflection::respond(
                    &app_state.models,
                    &self.descriptors,
                    messages,
                ))
                .boxed()
            }
            rpc => {
                let unary = Unary::new(Messages::new(body, permit, options));
                respond(app_state, rpc, unary).boxed()
            }
        }
    }
}

/// Returns the client of an inference call.
fn identity(app_state: &AppState, head: &Parts) -> Identity {
    let access_control = &app_state.access_control;
    access_control.identify(Operation::Infer, &head.headers, &head.extensions)
}

async fn respond(app_state: Arc<AppState>, rpc: Rpc, call: Unary) -> GrpcResponse {
    let response = response(&app_state, rpc, call).await;
    if cfg!(pytriton_qa) {
        // Boxed, so that its state is not part of every call.
        Box::pin(delay()).await;
    }
    match response {
        Ok(message) => GrpcResponse::messages(iter([Ok(message)])),
        Err(status) => GrpcResponse::status(status),
    }
}

/// Delays a response by as many seconds as Triton's own tests request.
async fn delay() {
    let seconds = std::env::var("TRITONSERVER_SERVER_DELAY_GRPC_RESPONSE_SEC").ok();
    let seconds = seconds.and_then(|seconds| seconds.parse().ok());
    if let Some(seconds) = seconds {
        tokio::time::sleep(std::time::Duration::from_secs(seconds)).await;
    }
}

/// Returns the response to a unary call other than an inference.
async fn response(app_state: &AppState, rpc: Rpc, call: Unary) -> Result<Framed, Status> {
    match rpc {
        Rpc::ServerLive => {
            let respond = |_: &ServerLiveRequest| Ok(ServerLiveResponse { live: true });
            call.respond(respond).await
        }
        Rpc::ServerReady => {
            let respond = |_: &ServerReadyRequest| {
                let ready = app_state.models.ready();
                Ok(ServerReadyResponse { ready })
            };
            call.respond(respond).await
        }
        Rpc::ServerMetadata => {
            let respond = |_: &ServerMetadataRequest| Ok(server_metadata(&app_state.id));
            call.respond(respond).await
        }
        Rpc::ModelReady => {
            call.respond(|request| models::ready(app_state, request))
                .await
        }
        Rpc::ModelMetadata => {
            call.respond(|request| models::model_metadata(app_state, request))
                .await
        }
        Rpc::ModelConfig => {
            call.respond(|request| models::model_config(app_state, request))
                .await
        }
        Rpc::ModelStatistics => {
            call.respond(|request| models::model_statistics(app_state, request))
                .await
        }
        Rpc::RepositoryIndex => {
            call.respond(|request| models::index(app_state, request))
                .await
        }
        Rpc::RepositoryModelLoad => {
            let (request, permit) = call.request().await?;
            let unused = permit.sibling();
            framed(&models::load(app_state, request, permit).await?, unused)
        }
        Rpc::RepositoryModelUnload => {
            call.respond(|request| models::unload(app_state, request))
                .await
        }
        Rpc::SystemSharedMemoryStatus => {
            let respond = |request: &SystemSharedMemoryStatusRequest| {
                shared_memory::status(app_state, &request.name)
            };
            call.respond(respond).await
        }
        Rpc::SystemSharedMemoryRegister => {
            call.respond(|request| shared_memory::register(app_state, request))
                .await
        }
        Rpc::SystemSharedMemoryUnregister => {
            let respond = |request: &SystemSharedMemoryUnregisterRequest| {
                shared_memory::unregister(app_state, Kind::System, &request.name)
                    .map(|()| SystemSharedMemoryUnregisterResponse {})
            };
            call.respond(respond).await
        }
        Rpc::CudaSharedMemoryStatus => {
            let respond = |request: &CudaSharedMemoryStatusRequest| {
                shared_memory::cuda_status(app_state, &request.name)
            };
            call.respond(respond).await
        }
        Rpc::CudaSharedMemoryRegister => {
            call.respond(|request| shared_memory::register_cuda(app_state, request))
                .await
        }
        Rpc::CudaSharedMemoryUnregister => {
            let respond = |request: &CudaSharedMemoryUnregisterRequest| {
                shared_memory::unregister(app_state, Kind::Cuda, &request.name)
                    .map(|()| CudaSharedMemoryUnregisterResponse {})
            };
            call.respond(respond).await
        }
        Rpc::TraceSetting => {
            call.respond(|request| trace::trace_setting(app_state, request))
                .await
        }
        Rpc::LogSettings => call.respond(logging::log_settings).await,
        Rpc::HealthCheck => {
            call.respond(|request| health::check(app_state, request))
                .await
        }
        // Handled by `Service::call`.
        Rpc::ModelInfer | Rpc::ModelStreamInfer | Rpc::HealthWatch | Rpc::Reflection => {
            Err(Status::unimplemented(""))
        }
    }
}
