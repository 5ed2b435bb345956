use std::sync::Arc;
use std::time::Duration;

use pytriton_core::memory_budget::MemoryBudget;
use pytriton_core::registry::{ModelDeclaration, Registry};
use pytriton_engine::{HeaderForward, Limits};
use tokio::time::{sleep, timeout};

use crate::repository::ModelRepository;
use crate::service::{AccessControl, AppState};

/// Returns the service state for these models, without access control and the docs page.
pub(crate) async fn app_state(models: &[&ModelDeclaration], limits: Limits) -> AppState {
    let registry = Registry::new(models).unwrap();
    AppState {
        id: "triton".into(),
        models: Arc::new(ModelRepository::start(&registry, &limits).await.unwrap()),
        limits,
        forward: HeaderForward::default(),
        access_control: AccessControl::default(),
        regions: Arc::default(),
        access_log: false,
        docs: None,
    }
}

/// Waits until that many bytes are reserved. An instance releases a request just after its
/// response.
pub(crate) async fn settles(budget: &MemoryBudget, bytes: usize) {
    let settled = async {
        while budget.reserved() != bytes {
            sleep(Duration::from_millis(1)).await;
        }
    };
    let settled = timeout(Duration::from_secs(10), settled).await;
    assert!(settled.is_ok(), "{} instead of {bytes}", budget.reserved());
}
