use pytriton_embedded::Router;
use pytriton_embedded::server::{EmbeddedError, checks, services};

use crate::http::Metrics;
use crate::server::{ServerError, Triton};

impl Triton {
    /// Loads the models if they are not served yet, opens no port, and returns a router for them.
    /// Needs the embedded engine.
    ///
    /// [`stop`](Self::stop) completes the requests that the models have accepted. Stop the server
    /// that contains the router first.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run), and if the tritonserver engine is requested, which has its own ports,
    /// or if the server is not running and has routes of [`Builder::router`].
    ///
    /// [`Builder::router`]: crate::server::Builder::router
    pub fn router(&self) -> Result<Router, ServerError> {
        let (models, _) = self.loaded("a call to `router`")?;
        let limits = checks::limits(&self.options).map_err(EmbeddedError::from)?;
        let access = checks::access(&self.options)?;
        let (http, grpc) = services(&models, limits, &self.options, &access, None);
        let metrics = Metrics::new(models, Vec::new());
        let metrics = metrics.with_program(self.extensions.metrics.clone());
        Ok(Router::new(http, grpc, metrics, access))
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::http::{Request, StatusCode};
    use tonic::codegen::Service;

    use crate::engine::EngineChoice;
    use crate::proto::grpc_inference_service_client::GrpcInferenceServiceClient;
    use crate::proto::{ModelReadyRequest, ServerReadyRequest};
    use crate::registry::Registry;
    use crate::server::Options;
    use crate::testing::IDENTITY;

    use super::*;

    #[tokio::test]
    async fn router_serves_each_protocol() {
        let mut options = Options::parse::<&str>([]).unwrap();
        options.triton.engine = EngineChoice::Embedded;
        let triton = Triton::with(options, Registry::new(&[&IDENTITY]).unwrap());
        let mut router = triton.router().unwrap();
        let mut grpc = GrpcInferenceServiceClient::new(router.clone());
        let ready = grpc.server_ready(ServerReadyRequest {}).await.unwrap();
        assert!(ready.into_inner().ready);
        let asked = ModelReadyRequest {
            name: "Identity".to_owned(),
            version: String::new(),
        };
        assert!(
            grpc.model_ready(asked.clone())
                .await
                .unwrap()
                .into_inner()
                .ready
        );
        for (path, status) in [
            ("/v2/health/ready", StatusCode::OK),
            ("/v2/models/Identity", StatusCode::OK),
            ("/metrics", StatusCode::OK),
            ("/elsewhere", StatusCode::NOT_FOUND),
        ] {
            let request = Request::get(path).header("host", "x").body(Body::empty());
            let response = router.call(request.unwrap()).await.unwrap();
            assert_eq!(response.status(), status, "{path}");
        }
        triton.stop().unwrap();
        assert!(!grpc.model_ready(asked).await.unwrap().into_inner().ready);
    }
}
