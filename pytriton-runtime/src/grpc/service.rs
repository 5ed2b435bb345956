use std::sync::Arc;

use futures_util::stream::Empty;
use tonic::{Request, Response, Status, Streaming};

use crate::kserve::proto::server_metadata;
use crate::proto::grpc_inference_service_server::GrpcInferenceService;
use crate::proto::*;
use crate::reception::Reception;
use crate::shared_memory::Kind;

use super::{GrpcError, logging, models, shared_memory, trace};

/// `inference.GRPCInferenceService`, but for the inferences: their messages are read and written as they come and go.
#[derive(Debug)]
pub(super) struct Service {
    pub(super) reception: Arc<Reception>,
}

#[tonic::async_trait]
impl GrpcInferenceService for Service {
    async fn server_live(
        &self,
        _: Request<ServerLiveRequest>,
    ) -> Result<Response<ServerLiveResponse>, Status> {
        Ok(Response::new(ServerLiveResponse {
            live: self.reception.live(),
        }))
    }

    async fn server_ready(
        &self,
        _: Request<ServerReadyRequest>,
    ) -> Result<Response<ServerReadyResponse>, Status> {
        Ok(Response::new(ServerReadyResponse {
            ready: self.reception.ready(),
        }))
    }

    async fn model_ready(
        &self,
        request: Request<ModelReadyRequest>,
    ) -> Result<Response<ModelReadyResponse>, Status> {
        answer(models::ready(&self.reception, request.get_ref()))
    }

    async fn server_metadata(
        &self,
        _: Request<ServerMetadataRequest>,
    ) -> Result<Response<ServerMetadataResponse>, Status> {
        Ok(Response::new(server_metadata()))
    }

    async fn model_metadata(
        &self,
        request: Request<ModelMetadataRequest>,
    ) -> Result<Response<ModelMetadataResponse>, Status> {
        answer(models::model_metadata(&self.reception, request.get_ref()))
    }

    async fn model_config(
        &self,
        request: Request<ModelConfigRequest>,
    ) -> Result<Response<ModelConfigResponse>, Status> {
        answer(models::model_config(&self.reception, request.get_ref()))
    }

    async fn model_statistics(
        &self,
        request: Request<ModelStatisticsRequest>,
    ) -> Result<Response<ModelStatisticsResponse>, Status> {
        answer(models::model_statistics(&self.reception, request.get_ref()))
    }

    async fn repository_index(
        &self,
        request: Request<RepositoryIndexRequest>,
    ) -> Result<Response<RepositoryIndexResponse>, Status> {
        answer(models::index(&self.reception, request.get_ref()))
    }

    async fn model_infer(
        &self,
        _: Request<ModelInferRequest>,
    ) -> Result<Response<ModelInferResponse>, Status> {
        elsewhere()
    }

    type ModelStreamInferStream = Empty<Result<ModelStreamInferResponse, Status>>;

    async fn model_stream_infer(
        &self,
        _: Request<Streaming<ModelInferRequest>>,
    ) -> Result<Response<Self::ModelStreamInferStream>, Status> {
        elsewhere()
    }

    async fn repository_model_load(
        &self,
        request: Request<RepositoryModelLoadRequest>,
    ) -> Result<Response<RepositoryModelLoadResponse>, Status> {
        answer(models::load(&self.reception, request.into_inner()).await)
    }

    async fn repository_model_unload(
        &self,
        request: Request<RepositoryModelUnloadRequest>,
    ) -> Result<Response<RepositoryModelUnloadResponse>, Status> {
        answer(models::unload(&self.reception, request.into_inner()).await)
    }

    async fn system_shared_memory_status(
        &self,
        request: Request<SystemSharedMemoryStatusRequest>,
    ) -> Result<Response<SystemSharedMemoryStatusResponse>, Status> {
        answer(shared_memory::status(
            &self.reception,
            &request.get_ref().name,
        ))
    }

    async fn system_shared_memory_register(
        &self,
        request: Request<SystemSharedMemoryRegisterRequest>,
    ) -> Result<Response<SystemSharedMemoryRegisterResponse>, Status> {
        answer(shared_memory::register(&self.reception, request.get_ref()))
    }

    async fn system_shared_memory_unregister(
        &self,
        request: Request<SystemSharedMemoryUnregisterRequest>,
    ) -> Result<Response<SystemSharedMemoryUnregisterResponse>, Status> {
        let name = &request.get_ref().name;
        answer(shared_memory::unregister(
            &self.reception,
            Kind::System,
            name,
        ))
    }

    async fn cuda_shared_memory_status(
        &self,
        request: Request<CudaSharedMemoryStatusRequest>,
    ) -> Result<Response<CudaSharedMemoryStatusResponse>, Status> {
        answer(shared_memory::cuda_status(
            &self.reception,
            &request.get_ref().name,
        ))
    }

    async fn cuda_shared_memory_register(
        &self,
        request: Request<CudaSharedMemoryRegisterRequest>,
    ) -> Result<Response<CudaSharedMemoryRegisterResponse>, Status> {
        answer(shared_memory::register_cuda(
            &self.reception,
            request.get_ref(),
        ))
    }

    async fn cuda_shared_memory_unregister(
        &self,
        request: Request<CudaSharedMemoryUnregisterRequest>,
    ) -> Result<Response<CudaSharedMemoryUnregisterResponse>, Status> {
        let name = &request.get_ref().name;
        answer(shared_memory::unregister(&self.reception, Kind::Cuda, name))
    }

    async fn trace_setting(
        &self,
        request: Request<TraceSettingRequest>,
    ) -> Result<Response<TraceSettingResponse>, Status> {
        answer(trace::trace_setting(&self.reception, request.get_ref()))
    }

    async fn log_settings(
        &self,
        request: Request<LogSettingsRequest>,
    ) -> Result<Response<LogSettingsResponse>, Status> {
        answer(logging::log_settings(request.get_ref()))
    }
}

fn answer<T>(answer: Result<T, GrpcError>) -> Result<Response<T>, Status> {
    Ok(Response::new(answer?))
}

/// The routes of inferences are others.
fn elsewhere<T>() -> Result<Response<T>, Status> {
    Err(Status::unimplemented(""))
}
