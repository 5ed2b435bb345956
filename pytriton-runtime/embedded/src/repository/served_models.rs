use std::collections::BTreeMap;
use std::future;
use std::sync::Arc;
use std::task::{Poll, ready};

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, once};
use futures_util::{FutureExt, StreamExt};
use parking_lot::RwLock;
use pytriton_core::error::Error;
use pytriton_core::local_models::{LocalModel, LocalModels};
use pytriton_core::memory_budget::MemoryBudget;
use pytriton_core::model::ModelSpec;
use pytriton_core::request::{Request, Response};
use pytriton_core::response_channel::SchedulerError;
use pytriton_core::statistics::CallGraph;
use pytriton_core::trace::scope_of;

use super::Model;
use super::loaded_models::LoadedModels;

/// The loaded models of a repository, and what their calls of each other need.
#[derive(Debug)]
pub(super) struct ServedModels {
    pub(super) loaded: RwLock<LoadedModels>,
    pub(super) call_graph: CallGraph,
    budget: Arc<MemoryBudget>,
}

impl ServedModels {
    pub(super) fn new(budget: &Arc<MemoryBudget>) -> Self {
        Self {
            loaded: RwLock::default(),
            call_graph: CallGraph::default(),
            budget: Arc::clone(budget),
        }
    }
}

impl LocalModels for ServedModels {
    fn find(&self, name: &str) -> Option<Arc<dyn LocalModel>> {
        let models = self.loaded.read();
        let versions = models.serving().get(name)?;
        let (_, model) = BTreeMap::last_key_value(versions)?;
        Some(Arc::clone(model) as _)
    }

    fn budget(&self) -> &Arc<MemoryBudget> {
        &self.budget
    }

    fn call_graph(&self) -> &CallGraph {
        &self.call_graph
    }
}

impl LocalModel for Model {
    fn spec(&self) -> &Arc<ModelSpec> {
        &self.spec
    }

    fn check_open(&self) -> Result<(), Error> {
        Self::check_open(self).map_err(SchedulerError::into_error)
    }

    fn infer(self: Arc<Self>, request: Request) -> BoxFuture<'static, Result<Response, Error>> {
        let (scope, runtime) = (scope_of(request.trace()), self.runtime.clone());
        let mut infer = Box::pin(async move { self.called(request).await });
        let infer = future::poll_fn(move |context| {
            let _entered = runtime.enter();
            let response = ready!(infer.as_mut().poll(context));
            let response = response.inspect_err(|error| scope.fail(error));
            Poll::Ready(response.map_err(SchedulerError::into_error))
        });
        infer.boxed()
    }

    fn stream(self: Arc<Self>, request: Request) -> BoxStream<'static, Result<Response, Error>> {
        let (scope, runtime) = (scope_of(request.trace()), self.runtime.clone());
        let entered = runtime.enter();
        let streamed = self.stream_called(request);
        drop(entered);
        let mut responses = match streamed {
            Ok(responses) => responses.within(scope),
            Err(error) => {
                scope.fail(&error);
                return once(async { Err(error.into_error()) }).boxed();
            }
        };
        let next = stream::poll_fn(move |context| {
            let _entered = runtime.enter();
            responses.poll_next(context)
        });
        next.map(|response| response.map_err(SchedulerError::into_error))
            .boxed()
    }
}
