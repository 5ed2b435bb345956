//! The gRPC services with a real client over a real socket.

mod budget;
mod deadline;
mod framed;
mod infer;
mod large_messages;
mod limits;
#[cfg(target_os = "linux")]
mod memory;
mod models;
mod restricted;
mod slow;
mod standard;
mod stream;

use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use pytriton_core::registry::{ModelDeclaration, ModelOptions};
use pytriton_engine::Limits;
use pytriton_protocol::proto::ModelInferRequest;
use pytriton_protocol::proto::grpc_inference_service_client::GrpcInferenceServiceClient;
use pytriton_protocol::proto::model_infer_request::InferInputTensor;
use tokio::net::TcpListener;
use tokio::time::timeout;
use tonic::transport::Channel;

use crate::repository::ModelRepository;
use crate::service::AppState;
use crate::testing::{IDENTITY, app_state, fp32};

use super::routes;

const TEST_TIMEOUT: Duration = Duration::from_secs(10);

type Client = GrpcInferenceServiceClient<Channel>;

/// Serves versions 1 and 3 of `Identity`. The largest message has 4 KiB.
async fn serve() -> (Arc<ModelRepository>, Channel) {
    let third = ModelDeclaration {
        options: ModelOptions {
            version: 3,
            dynamic_batching: false,
            ..IDENTITY.options
        },
        ..IDENTITY
    };
    serve_models(&[&IDENTITY, &third]).await
}

/// Serves these models. The largest message has 4 KiB.
async fn serve_models(models: &[&ModelDeclaration]) -> (Arc<ModelRepository>, Channel) {
    let limits = Limits {
        max_request_bytes: 4096,
        ..Limits::default()
    };
    serve_within(models, limits).await
}

/// Serves these models with limits.
async fn serve_within(
    models: &[&ModelDeclaration],
    limits: Limits,
) -> (Arc<ModelRepository>, Channel) {
    let app_state = app_state(models, limits).await;
    let models = Arc::clone(&app_state.models);
    let router = routes(app_state);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            let service = TowerToHyperService::new(router.clone());
            tokio::spawn(async move {
                let builder = Builder::new(TokioExecutor::new()).http2_only();
                let _ = builder
                    .serve_connection(TokioIo::new(connection), service)
                    .await;
            });
        }
    });
    let channel = Channel::from_shared(format!("http://{address}")).unwrap();
    (models, channel.connect().await.unwrap())
}

async fn client() -> (Arc<ModelRepository>, Client) {
    let (models, channel) = serve().await;
    (models, Client::new(channel))
}

fn message(id: &str, values: &[f32]) -> ModelInferRequest {
    ModelInferRequest {
        model_name: "Identity".to_owned(),
        id: id.to_owned(),
        inputs: vec![InferInputTensor {
            name: "INPUT_1".to_owned(),
            datatype: "FP32".to_owned(),
            shape: vec![1, i64::try_from(values.len()).unwrap()],
            ..InferInputTensor::default()
        }],
        raw_input_contents: vec![fp32(values)],
        ..ModelInferRequest::default()
    }
}

async fn until(mut condition: impl FnMut() -> bool) {
    let condition = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(TEST_TIMEOUT, condition).await.unwrap();
}
