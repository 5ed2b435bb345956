use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::{BoxStream, unfold};
use tonic::{Request, Response, Status};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_server::Health;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

use crate::serving::ModelSet;
use crate::text::for_client;

/// How often a watched server is asked.
const PERIOD: Duration = Duration::from_secs(1);

/// The names under which the server can be asked for: itself, and its one service.
const SERVICES: [&str; 2] = ["", "inference.GRPCInferenceService"];

/// `grpc.health.v1`, which asks the models each time, so that it never tells of yesterday.
#[derive(Debug)]
pub(super) struct HealthService {
    pub(super) models: Arc<ModelSet>,
}

#[tonic::async_trait]
impl Health for HealthService {
    async fn check(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<HealthCheckResponse>, Status> {
        let service = request.into_inner().service;
        if !SERVICES.contains(&service.as_str()) {
            let unknown = for_client(&format_args!("unknown service '{service}'"));
            return Err(Status::not_found(unknown));
        }
        Ok(Response::new(response(serving(&self.models))))
    }

    type WatchStream = BoxStream<'static, Result<HealthCheckResponse, Status>>;

    async fn watch(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        let known = SERVICES.contains(&request.into_inner().service.as_str());
        let models = Arc::clone(&self.models);
        let statuses = unfold(None, move |told| {
            let models = Arc::clone(&models);
            async move {
                let status = match known {
                    true => changed(&models, told).await?,
                    false if told.is_none() => ServingStatus::ServiceUnknown,
                    // The health protocol wants such a watch to stay open; the service will never be known.
                    false => {
                        models.stopping().await;
                        return None;
                    }
                };
                Some((Ok(response(status)), Some(status)))
            }
        });
        Ok(Response::new(statuses.boxed()))
    }
}

/// Waits until the status is another than the one that was told; `None` when the server stops and that was told.
async fn changed(models: &ModelSet, told: Option<ServingStatus>) -> Option<ServingStatus> {
    let mut stopped = false;
    loop {
        let status = serving(models);
        if told != Some(status) {
            return Some(status);
        }
        if stopped {
            return None;
        }
        stopped = tokio::time::timeout(PERIOD, models.stopping())
            .await
            .is_ok();
    }
}

fn serving(models: &ModelSet) -> ServingStatus {
    match models.ready() {
        true => ServingStatus::Serving,
        false => ServingStatus::NotServing,
    }
}

fn response(status: ServingStatus) -> HealthCheckResponse {
    HealthCheckResponse {
        status: status.into(),
    }
}
