//! The models of a process, which its functions can call.

use std::fmt::Debug;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;

use crate::error::Error;
use crate::memory_budget::MemoryBudget;
use crate::model::ModelSpec;
use crate::request::{Request, Response};
use crate::statistics::CallGraph;

/// The loaded models of a process.
pub trait LocalModels: Debug + Send + Sync {
    /// Returns the latest version of a model, if it is loaded.
    fn find(&self, name: &str) -> Option<Arc<dyn LocalModel>>;

    /// Returns the memory budget of all requests and responses.
    fn budget(&self) -> &Arc<MemoryBudget>;

    /// Returns the counters of calls between models.
    fn call_graph(&self) -> &CallGraph;
}

/// A loaded model.
pub trait LocalModel: Debug + Send + Sync {
    /// Returns the description of the model.
    fn spec(&self) -> &Arc<ModelSpec>;

    /// Checks whether the model accepts requests that no function of a model makes. While the
    /// server stops, a model serves only the functions that call it.
    ///
    /// # Errors
    ///
    /// Returns an error of the kind `Unavailable`.
    fn check_open(&self) -> Result<(), Error>;

    /// Queues a request and returns its response.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the request.
    fn infer(self: Arc<Self>, request: Request) -> BoxFuture<'static, Result<Response, Error>>;

    /// Queues a request and returns its responses. Dropping the stream cancels the request.
    fn stream(self: Arc<Self>, request: Request) -> BoxStream<'static, Result<Response, Error>>;
}
