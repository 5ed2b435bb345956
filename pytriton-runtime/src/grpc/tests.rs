//! The door with a real client behind a real socket.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tonic::Code;
use tonic::codec::CompressionEncoding;
use tonic::transport::Channel;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;

use crate::model::{ModelDeclaration, Registry};
use crate::proto::grpc_inference_service_client::GrpcInferenceServiceClient;
use crate::proto::model_infer_request::{InferInputTensor, InferRequestedOutputTensor};
use crate::proto::*;
use crate::repository::Repository;
use crate::statistics::FailureReason;
use crate::testing::{IDENTITY, fp32};
use crate::{HeaderForward, Limits};

use super::{GrpcState, routes};

const PATIENCE: Duration = Duration::from_secs(10);

type Client = GrpcInferenceServiceClient<Channel>;

/// A served `Identity` in the versions 1 and 3; the largest message has 4 KiB.
async fn serve() -> (Arc<Repository>, Channel) {
    let third = ModelDeclaration {
        version: 3,
        dynamic_batching: None,
        ..IDENTITY
    };
    let registry = Registry::new(&[&IDENTITY, &third]).unwrap();
    let repository = Arc::new(Repository::start(&registry, 128).await.unwrap());
    let router = routes(GrpcState {
        repository: Arc::clone(&repository),
        limits: Limits {
            max_request_bytes: 4096,
            ..Limits::default()
        },
        forward: HeaderForward::default(),
    });
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
    (repository, channel.connect().await.unwrap())
}

async fn client() -> (Arc<Repository>, Client) {
    let (repository, channel) = serve().await;
    (repository, Client::new(channel))
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

#[tokio::test]
async fn tells_of_itself_and_its_models() {
    let (_repository, mut client) = client().await;
    let live = client.server_live(ServerLiveRequest {}).await.unwrap();
    assert!(live.into_inner().live);
    let ready = client.server_ready(ServerReadyRequest {}).await.unwrap();
    assert!(ready.into_inner().ready);
    let server = client
        .server_metadata(ServerMetadataRequest {})
        .await
        .unwrap()
        .into_inner();
    assert_eq!(
        (server.name.as_str(), server.version.as_str()),
        ("triton", "2.51.0")
    );

    let metadata = ModelMetadataRequest {
        name: "Identity".to_owned(),
        ..ModelMetadataRequest::default()
    };
    let metadata = client.model_metadata(metadata).await.unwrap().into_inner();
    assert_eq!(metadata.versions, ["1", "3"]);
    assert_eq!(metadata.inputs[0].shape, [-1, -1]);

    let config = ModelConfigRequest {
        name: "Identity".to_owned(),
        version: "1".to_owned(),
    };
    let config = client
        .model_config(config)
        .await
        .unwrap()
        .into_inner()
        .config
        .unwrap();
    assert_eq!(config.max_batch_size, 8);
    assert_eq!(config.input[0].data_type(), DataType::TypeFp32);
    assert!(config.scheduling_choice.is_some());

    let index = client
        .repository_index(RepositoryIndexRequest::default())
        .await
        .unwrap();
    let models = index.into_inner().models;
    let models: Vec<_> = models
        .iter()
        .map(|model| (model.version.as_str(), model.state.as_str()))
        .collect();
    assert_eq!(models, [("1", "READY"), ("3", "READY")]);
}

#[tokio::test]
async fn models_that_are_not_there_are_not_ready_and_have_no_metadata() {
    let (_repository, mut client) = client().await;
    let table = [
        ("Identity", "1", Ok(true), Code::Ok, Code::Ok),
        (
            "Identity",
            "2",
            Ok(false),
            Code::NotFound,
            Code::InvalidArgument,
        ),
        (
            "Identity",
            "99999999999",
            Ok(false),
            Code::NotFound,
            Code::InvalidArgument,
        ),
        (
            "Identity",
            "x",
            Err(Code::InvalidArgument),
            Code::InvalidArgument,
            Code::InvalidArgument,
        ),
        ("Nope", "", Ok(false), Code::NotFound, Code::InvalidArgument),
        ("", "", Ok(false), Code::NotFound, Code::Ok),
    ];
    for (name, version, ready, metadata, statistics) in table {
        let (name, version) = (name.to_owned(), version.to_owned());
        let got = client
            .model_ready(ModelReadyRequest {
                name: name.clone(),
                version: version.clone(),
            })
            .await;
        assert_eq!(
            got.map(|got| got.into_inner().ready).map_err(|s| s.code()),
            ready,
            "{name} {version}"
        );
        let got = client
            .model_metadata(ModelMetadataRequest {
                name: name.clone(),
                version: version.clone(),
            })
            .await;
        assert_eq!(
            got.map_or_else(|s| s.code(), |_| Code::Ok),
            metadata,
            "{name} {version}"
        );
        let got = client
            .model_statistics(ModelStatisticsRequest {
                name: name.clone(),
                version: version.clone(),
            })
            .await;
        assert_eq!(
            got.map_or_else(|s| s.code(), |_| Code::Ok),
            statistics,
            "{name} {version}"
        );
    }
}

#[tokio::test]
async fn infers() {
    let (_repository, mut client) = client().await;
    let response = client
        .model_infer(message("7", &[1.0, 2.0]))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(
        (response.id.as_str(), response.model_version.as_str()),
        ("7", "3")
    );
    assert_eq!(response.outputs[0].name, "OUTPUT_1");
    assert_eq!(response.outputs[0].shape, [1, 2]);
    assert_eq!(response.raw_output_contents, [fp32(&[1.0, 2.0])]);

    let all = client
        .model_statistics(ModelStatisticsRequest::default())
        .await
        .unwrap();
    let counts: Vec<_> = all
        .into_inner()
        .model_stats
        .iter()
        .map(|model| model.inference_count)
        .collect();
    assert_eq!(counts, [0, 1]);
}

#[tokio::test]
async fn a_failed_inference_has_the_code_of_its_kind() {
    let (_repository, mut client) = client().await;
    let unknown = ModelInferRequest {
        model_name: "Nope".to_owned(),
        ..message("", &[1.0])
    };
    let short = ModelInferRequest {
        raw_input_contents: vec![],
        ..message("", &[1.0])
    };
    let output = InferRequestedOutputTensor {
        name: "X".to_owned(),
        ..Default::default()
    };
    let output = ModelInferRequest {
        outputs: vec![output],
        ..message("", &[1.0])
    };
    let table = [
        (
            unknown,
            Code::NotFound,
            "Request for unknown model: 'Nope' is not found",
        ),
        (
            short,
            Code::InvalidArgument,
            "unable to find data for input tensor 'INPUT_1' for model 'Identity' in request.",
        ),
        (
            output,
            Code::InvalidArgument,
            "unexpected inference output 'X' for model 'Identity'",
        ),
        (
            message("", &[-3.0]),
            Code::Internal,
            "model 'Identity' failed: asked to fail",
        ),
        (
            message("", &[-1.0]),
            Code::Internal,
            "model 'Identity' panicked: asked to panic",
        ),
    ];
    for (message, code, text) in table {
        let status = client.model_infer(message).await.unwrap_err();
        assert_eq!((status.code(), status.message()), (code, text));
    }
}

#[tokio::test]
async fn a_message_above_the_limit_is_refused_compressed_or_not() {
    let (_repository, client) = client().await;
    let large = vec![0.0; 2048];
    let plain = client
        .clone()
        .model_infer(message("", &large))
        .await
        .unwrap_err();
    assert_eq!(plain.code(), Code::ResourceExhausted);
    for encoding in [CompressionEncoding::Gzip, CompressionEncoding::Deflate] {
        let mut client = client.clone().send_compressed(encoding);
        let bomb = client.model_infer(message("", &large)).await.unwrap_err();
        assert_eq!(bomb.code(), Code::ResourceExhausted);
        client.model_infer(message("", &[0.0; 512])).await.unwrap();
    }
    let mut client = client;
    let messages = futures_util::stream::iter([message("", &large)]);
    let mut answers = client
        .model_stream_infer(messages)
        .await
        .unwrap()
        .into_inner();
    assert_eq!(
        answers.message().await.unwrap_err().code(),
        Code::ResourceExhausted
    );
}

#[tokio::test]
async fn a_stream_answers_in_order_and_outlives_failures() {
    let (_repository, mut client) = client().await;
    let unknown = ModelInferRequest {
        model_name: "Nope".to_owned(),
        ..message("3", &[1.0])
    };
    let messages = [
        message("1", &[-4.0]),
        message("2", &[1.0]),
        unknown,
        message("4", &[-3.0]),
        message("5", &[1.0]),
    ];
    let messages = futures_util::stream::iter(messages);
    let answers = client
        .model_stream_infer(messages)
        .await
        .unwrap()
        .into_inner();
    let answers: Vec<_> = timeout(PATIENCE, answers.map(Result::unwrap).collect::<Vec<_>>())
        .await
        .unwrap();
    let told: Vec<_> = answers
        .iter()
        .map(|answer| {
            (
                answer.infer_response.as_ref().unwrap().id.as_str(),
                answer.error_message.as_str(),
            )
        })
        .collect();
    let expected = [
        ("1", ""),
        ("2", ""),
        ("3", "Request for unknown model: 'Nope' is not found"),
        ("4", "model 'Identity' failed: asked to fail"),
        ("5", ""),
    ];
    assert_eq!(told, expected);
}

#[tokio::test]
async fn a_strict_stream_ends_with_the_status_of_the_execution_that_failed() {
    let (_repository, mut client) = client().await;
    let messages = futures_util::stream::iter([message("1", &[-3.0]), message("2", &[1.0])]);
    let mut request = tonic::Request::new(messages);
    request
        .metadata_mut()
        .insert("triton_grpc_error", "true".parse().unwrap());
    let mut answers = client
        .model_stream_infer(request)
        .await
        .unwrap()
        .into_inner();
    assert_eq!(answers.message().await.unwrap_err().code(), Code::Internal);
}

#[tokio::test]
async fn a_client_that_goes_away_takes_its_requests_along() {
    let (repository, client) = client().await;
    let model = repository.model("Identity", None).unwrap();
    // Each holds the only instance for 50 ms, so that all but one wait.
    let mut calls = JoinSet::new();
    for _ in 0..20 {
        let mut client = client.clone();
        calls.spawn(async move { client.model_infer(message("", &[-4.0])).await });
    }
    until(|| model.statistics().pending > 0).await;
    calls.abort_all();
    until(|| model.statistics().pending == 0).await;
    let statistics = model.statistics();
    assert!(statistics.failures[FailureReason::Canceled as usize] > 0);
    assert!(statistics.execution_count < 20);
}

#[tokio::test]
async fn health_follows_the_repository() {
    let (repository, channel) = serve().await;
    let mut client = HealthClient::new(channel);
    let service = |service: &str| HealthCheckRequest {
        service: service.to_owned(),
    };
    for name in ["", "inference.GRPCInferenceService"] {
        let health = client.check(service(name)).await.unwrap().into_inner();
        assert_eq!(health.status(), ServingStatus::Serving, "{name}");
    }
    let unknown = client.check(service("nope")).await.unwrap_err();
    assert_eq!(unknown.code(), Code::NotFound);

    let mut watch = client.watch(service("")).await.unwrap().into_inner();
    let told = watch.message().await.unwrap().unwrap();
    assert_eq!(told.status(), ServingStatus::Serving);
    repository.stop_being_ready();
    let told = timeout(PATIENCE, watch.message())
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    assert_eq!(told.status(), ServingStatus::NotServing);
}

#[tokio::test]
async fn reflection_names_the_services() {
    let (_repository, channel) = serve().await;
    let request = ServerReflectionRequest {
        message_request: Some(MessageRequest::ListServices(String::new())),
        ..ServerReflectionRequest::default()
    };
    let mut client = ServerReflectionClient::new(channel);
    let requests = futures_util::stream::iter([request]);
    let mut answers = client
        .server_reflection_info(requests)
        .await
        .unwrap()
        .into_inner();
    let answer = answers.message().await.unwrap().unwrap().message_response;
    let Some(MessageResponse::ListServicesResponse(list)) = answer else {
        panic!("{answer:?}");
    };
    let mut names: Vec<_> = list
        .service
        .iter()
        .map(|service| service.name.as_str())
        .collect();
    names.sort_unstable();
    assert_eq!(
        names[..2],
        [
            "grpc.health.v1.Health",
            "grpc.reflection.v1.ServerReflection"
        ]
    );
    assert!(names.contains(&"inference.GRPCInferenceService"));
}

#[tokio::test]
async fn what_is_not_offered_says_so() {
    let (_repository, mut client) = client().await;
    let memory = client
        .system_shared_memory_status(SystemSharedMemoryStatusRequest::default())
        .await
        .unwrap_err();
    let load = client
        .repository_model_load(RepositoryModelLoadRequest::default())
        .await
        .unwrap_err();
    for status in [memory, load] {
        assert_eq!(status.code(), Code::Unimplemented);
        assert!(!status.message().is_empty());
    }
}

async fn until(mut condition: impl FnMut() -> bool) {
    let condition = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(PATIENCE, condition).await.unwrap();
}
