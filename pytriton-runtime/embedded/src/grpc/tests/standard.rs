use futures_util::StreamExt;
use tokio::time::timeout;
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;

use super::{TEST_TIMEOUT, serve};

#[tokio::test]
async fn health_follows_the_models() {
    let (models, channel) = serve().await;
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
    let unknown = client.check(service(&"x".repeat(4000))).await;
    assert!(unknown.unwrap_err().message().ends_with(" more bytes)"));

    let mut watch = client.watch(service("")).await.unwrap().into_inner();
    let update = watch.message().await.unwrap().unwrap();
    assert_eq!(update.status(), ServingStatus::Serving);
    models.stop_being_ready();
    let update = timeout(TEST_TIMEOUT, watch.message())
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    assert_eq!(update.status(), ServingStatus::NotServing);
}

#[tokio::test]
async fn reflection_reports_unknown_symbols() {
    let (_models, channel) = serve().await;
    let mut client = ServerReflectionClient::new(channel);
    let asked = [
        Some(MessageRequest::FileContainingSymbol("no.such".to_owned())),
        Some(MessageRequest::FileByFilename("x".repeat(1 << 11))),
        None,
        Some(MessageRequest::FileContainingSymbol(
            "inference.ModelInferRequest".to_owned(),
        )),
    ];
    let requests = asked.map(|message_request| ServerReflectionRequest {
        host: "here".to_owned(),
        message_request,
    });
    let responses = client
        .server_reflection_info(futures_util::stream::iter(requests.clone()))
        .await
        .unwrap()
        .into_inner();
    let responses: Vec<_> = responses.map(Result::unwrap).collect().await;
    let codes = responses
        .iter()
        .map(|response| match &response.message_response {
            Some(MessageResponse::ErrorResponse(error)) => {
                assert!(error.error_message.len() < 2100);
                Code::from_i32(error.error_code)
            }
            Some(MessageResponse::FileDescriptorResponse(_)) => Code::Ok,
            other => panic!("{other:?}"),
        });
    assert_eq!(
        codes.collect::<Vec<_>>(),
        [
            Code::NotFound,
            Code::NotFound,
            Code::InvalidArgument,
            Code::Ok
        ]
    );
    for (response, request) in responses.into_iter().zip(requests) {
        assert_eq!(response.valid_host, "here");
        assert_eq!(response.original_request, Some(request));
    }
}

#[tokio::test]
async fn reflection_lists_the_services() {
    let (_models, channel) = serve().await;
    let request = ServerReflectionRequest {
        message_request: Some(MessageRequest::ListServices(String::new())),
        ..ServerReflectionRequest::default()
    };
    let mut client = ServerReflectionClient::new(channel);
    let requests = futures_util::stream::iter([request]);
    let mut responses = client
        .server_reflection_info(requests)
        .await
        .unwrap()
        .into_inner();
    let response = responses.message().await.unwrap().unwrap().message_response;
    let Some(MessageResponse::ListServicesResponse(list)) = response else {
        panic!("{response:?}");
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
