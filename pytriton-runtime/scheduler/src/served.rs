//! A model with its own scheduler, for tests.

use std::sync::Arc;
use std::time::Duration;

use pytriton_core::call::{Context, Instance, LoadedInstance};
use pytriton_core::model::ModelSpec;
use pytriton_core::registry::{ModelDeclaration, ModelOptions, Registration};
use pytriton_core::request::{InferRequest, Request, Response};
use pytriton_core::response_channel::SchedulerError;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::{Policy, Resources, Scheduler};

pub(super) const MILLISECOND: Duration = Duration::from_millis(1);

/// Far longer than any operation in the tests takes.
pub(super) const TEST_TIMEOUT: Duration = Duration::from_secs(20);

pub(super) type Outcome = Result<Response, SchedulerError>;

pub(super) struct Served {
    pub(super) spec: Arc<ModelSpec>,
    pub(super) scheduler: Arc<Scheduler>,
    pub(super) resources: Resources,
}

impl Served {
    /// Loads all instances. Up to `queue_size` requests may wait.
    pub(super) async fn start(declaration: &ModelDeclaration, queue_size: usize) -> Self {
        Self::start_model(declaration.registration().unwrap(), queue_size).await
    }

    /// Like [`start`](Self::start), with `inline = true` and these instances.
    pub(super) async fn start_inline<I: Instance + Send + 'static>(
        declaration: &ModelDeclaration,
        queue_size: usize,
        load: fn(&Context) -> I,
    ) -> Self {
        let declaration = ModelDeclaration {
            options: ModelOptions {
                call_options: declaration.options.call_options.inline(true),
                ..declaration.options
            },
            ..*declaration
        };
        let model = declaration.registration().unwrap();
        let load = move |context: &Context| Ok(LoadedInstance::Movable(Box::new(load(context))));
        Self::start_model(
            Registration {
                load: Arc::new(load),
                ..model
            },
            queue_size,
        )
        .await
    }

    async fn start_model(model: Registration, queue_size: usize) -> Self {
        let policy = Policy::new(&model.spec, queue_size);
        let resources = Resources::new(&Handle::current(), usize::MAX);
        let scheduler = Scheduler::start(&model, policy, &resources).await;
        Self {
            spec: model.spec,
            scheduler: Arc::new(scheduler.unwrap()),
            resources,
        }
    }

    pub(super) async fn infer(&self, request: InferRequest) -> Outcome {
        let request = Request::check(&self.spec, request).unwrap();
        let answer = timeout(TEST_TIMEOUT, self.scheduler.infer(request));
        answer.await.unwrap()
    }

    /// Sends a request on its own task. Aborting the task disconnects the client.
    pub(super) fn spawn(&self, request: InferRequest) -> JoinHandle<Outcome> {
        let request = Request::check(&self.spec, request).unwrap();
        let scheduler = Arc::clone(&self.scheduler);
        tokio::spawn(async move {
            timeout(TEST_TIMEOUT, scheduler.infer(request))
                .await
                .unwrap()
        })
    }

    pub(super) async fn until(&self, condition: impl Fn(&Self) -> bool) {
        let settled = async {
            while !condition(self) {
                sleep(MILLISECOND).await;
            }
        };
        let settled = timeout(TEST_TIMEOUT, settled).await;
        assert!(settled.is_ok(), "{:?}", self.scheduler);
    }
}
