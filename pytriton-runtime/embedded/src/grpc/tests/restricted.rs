use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderName, Request};
use pytriton_engine::access::{Group, Secret, Secrets};
use tower::ServiceExt;

use crate::grpc::routes;
use crate::service::{AccessControl, RequiredHeader};

use super::slow::app;

#[tokio::test]
async fn restricted_call_is_refused_before_it_is_read() {
    let mut access_control = AccessControl::default();
    let header = HeaderName::from_static("triton-grpc-protocol-key");
    let secrets = Arc::new(Secrets::new(vec![Secret::new("open")]));
    let lock = RequiredHeader::new(header.as_str(), Some(header.clone()), secrets);
    let lock = Arc::new(lock);
    for group in Group::ALL {
        access_control.close(group, &lock);
    }
    let router = routes(crate::service::AppState {
        access_control,
        ..app().await
    });
    let inference = |method| format!("/inference.GRPCInferenceService/{method}");
    let health = |method| format!("/grpc.health.v1.Health/{method}");
    let reflection = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    for path in [
        inference("ServerLive"),
        inference("ModelInfer"),
        inference("ModelStreamInfer"),
        inference("RepositoryModelUnload"),
        health("Check"),
        health("Watch"),
        reflection.to_owned(),
    ] {
        for key in ["", "wrong", "open"] {
            let request = Request::post(&path)
                .header("content-type", "application/grpc")
                .header(&header, key)
                .body(Body::from("nothing that a message begins with"))
                .unwrap();
            let response = router.clone().oneshot(request).await.unwrap();
            let header = |name| {
                response
                    .headers()
                    .get(name)
                    .and_then(|value| value.to_str().ok())
            };
            let refused = header("grpc-status") == Some("14");
            assert_eq!(refused, key != "open", "{path} {key}");
            let expected = "This%20protocol%20is%20restricted,%20expecting%20header%20\
                            'triton-grpc-protocol-key'";
            assert!(!refused || header("grpc-message") == Some(expected));
        }
    }
    for path in [inference("Nope"), health("List"), "/nope".to_owned()] {
        let request = Request::post(&path).header("content-type", "application/grpc");
        let request = request.body(Body::empty()).unwrap();
        let response = router.clone().oneshot(request).await.unwrap();
        assert_eq!(response.headers()["grpc-status"], "12", "{path}");
    }
}
