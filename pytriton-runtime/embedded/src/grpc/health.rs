use std::sync::Arc;

use futures_util::stream::{Stream, StreamExt, unfold};
use pytriton_core::memory_budget::MemoryBudget;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

use crate::repository::{ModelRepository, ReadinessWatch};
use crate::service::AppState;

use super::framed::framed;
use super::unary::Unary;
use super::{GrpcError, GrpcResponse};

/// The maximum number of `Watch` streams. Each connection has at most `--max-concurrent-streams` of
/// them.
pub(super) const MAX_WATCHES: usize = 1024;

/// The known service names: the server itself, and its only service.
const SERVICES: [&str; 2] = ["", "inference.GRPCInferenceService"];

/// The `Check` method of `grpc.health.v1`: the current readiness.
pub(super) fn check(
    app_state: &AppState,
    request: &HealthCheckRequest,
) -> Result<HealthCheckResponse, GrpcError> {
    match is_known(&request.service) {
        true => Ok(response(serving(app_state.models.ready()))),
        false => Err(GrpcError::Service {
            service: request.service.clone(),
        }),
    }
}

/// The `Watch` method of `grpc.health.v1`: the readiness and all its changes until the server
/// stops.
///
/// `watches` has a permit for each stream, and `budget` never refuses.
pub(super) async fn watch(
    models: Arc<ModelRepository>,
    watches: Arc<Semaphore>,
    budget: Arc<MemoryBudget>,
    call: Unary,
) -> GrpcResponse {
    let request: HealthCheckRequest = match call.request().await {
        Ok((request, _)) => request,
        Err(status) => return GrpcResponse::status(status),
    };
    let Ok(permit) = watches.try_acquire_owned() else {
        return GrpcError::Watches { limit: MAX_WATCHES }.into();
    };
    let statuses = match is_known(&request.service) {
        true => changes(models.watch_readiness(), permit).left_stream(),
        false => unknown(models, permit).right_stream(),
    };
    let messages = statuses.map(move |status| framed(&response(status), budget.empty_permit()));
    GrpcResponse::messages(messages.boxed())
}

/// Returns the readiness and all its changes.
fn changes(
    readiness: ReadinessWatch,
    permit: OwnedSemaphorePermit,
) -> impl Stream<Item = ServingStatus> + Send {
    unfold((readiness, permit), async |(mut readiness, permit)| {
        let ready = readiness.next().await?;
        Some((serving(ready), (readiness, permit)))
    })
}

/// Returns the stream for an unknown service. The health protocol requires that it stays open.
fn unknown(
    models: Arc<ModelRepository>,
    permit: OwnedSemaphorePermit,
) -> impl Stream<Item = ServingStatus> + Send {
    let first = futures_util::stream::iter([ServingStatus::ServiceUnknown]);
    let open = futures_util::stream::once(async move {
        models.stopping().await;
        drop(permit);
    });
    first.chain(open.filter_map(async |()| None))
}

fn is_known(service: &str) -> bool {
    SERVICES.contains(&service)
}

fn serving(ready: bool) -> ServingStatus {
    match ready {
        true => ServingStatus::Serving,
        false => ServingStatus::NotServing,
    }
}

fn response(status: ServingStatus) -> HealthCheckResponse {
    HealthCheckResponse {
        status: status.into(),
    }
}
