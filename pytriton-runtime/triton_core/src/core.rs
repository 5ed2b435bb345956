use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pytriton_core::memory_budget::MemoryBudget;
use pytriton_core::request::InferRequest;

use crate::ffi::{Server, send};
use crate::{CoreError, CoreOptions, Library, Responses};

/// A server of Triton's core: models, their queues and their backends, without a front end.
///
/// A process can have one server, and another one once that is dropped.
///
/// It has threads of its own. Its methods may be called by any thread; those that load, unload or
/// stop block until Triton is done, so do not call them on a thread of an asynchronous runtime.
///
/// Dropping it stops it, which blocks as well: for at most a second for requests, and then for at
/// most [`CoreOptions::exit_timeout_secs`] for models. If some have not ended then, the server is
/// leaked, because Triton's backends and models still use it: call [`stop`](Self::stop) before. A
/// process with a leaked server should end with `_exit`, because Triton's exit handlers free memory
/// that the server uses.
#[derive(Debug)]
pub struct Core {
    server: Server,
    budget: Option<Arc<MemoryBudget>>,
    /// Whether [`Core::stop`] was called. Triton would report that its models are unknown.
    stopping: AtomicBool,
    exit_timeout: Duration,
}

impl Core {
    /// Starts a server. Blocks until the models of the start are loaded.
    ///
    /// Outputs, and responses that wait for slow readers, are reserved in `budget`.
    ///
    /// # Errors
    ///
    /// Returns a [`CoreError`] if the options are invalid, a repository is not a folder, the
    /// process has a server already, or, with [`CoreOptions::exit_on_error`], a model or a response
    /// cache does not load.
    pub fn start(
        library: Library,
        options: &CoreOptions,
        budget: Option<Arc<MemoryBudget>>,
    ) -> Result<Self, CoreError> {
        // Triton would only log it, and start without models.
        if let Some(missing) = options.repositories.iter().find(|path| !path.is_dir()) {
            return Err(CoreError::Repository {
                path: missing.clone(),
            });
        }
        Ok(Self {
            server: Server::new(library.0, options)?,
            budget,
            stopping: AtomicBool::new(false),
            exit_timeout: Duration::from_secs(options.exit_timeout_secs.into()),
        })
    }

    /// Sends a request to a model. Without a version, the policy of the model selects one. Returns
    /// before the responses arrive.
    ///
    /// Triton reads the inputs from the bytes of the request, which live until it releases them.
    /// It checks names, datatypes, shapes and sizes.
    ///
    /// # Errors
    ///
    /// Returns a [`CoreError`] if the model does not exist or is not ready, if the request does not
    /// match it, if its queue is full, if the server is stopping, or if the request needs a feature
    /// that is not passed on: classification, shared memory, and traces.
    pub fn infer(
        &self,
        model: &str,
        version: Option<i64>,
        request: InferRequest,
    ) -> Result<Responses, CoreError> {
        if self.is_stopping() {
            return Err(CoreError::Stopping);
        }
        let unsupported = |what| Err(CoreError::Unsupported { what });
        if request.shared.is_some() {
            return unsupported("shared memory");
        }
        if request.traced.is_some() {
            return unsupported("the trace extension");
        }
        if request
            .outputs
            .iter()
            .any(|output| output.classification > 0)
        {
            return unsupported("classification");
        }
        send(&self.server, model, version, request, self.budget.as_ref()).map(Responses)
    }

    /// Returns whether the server is live, and not stopping.
    ///
    /// # Errors
    ///
    /// Returns the error of Triton.
    pub fn is_live(&self) -> Result<bool, CoreError> {
        Ok(!self.is_stopping() && self.server.is_live()?)
    }

    /// Returns whether the server is ready, which includes its models with
    /// [`CoreOptions::strict_readiness`].
    ///
    /// # Errors
    ///
    /// Returns the error of Triton.
    pub fn is_ready(&self) -> Result<bool, CoreError> {
        Ok(!self.is_stopping() && self.server.is_ready()?)
    }

    /// Returns whether a model is ready.
    ///
    /// # Errors
    ///
    /// Returns an error if the version of the model is not known.
    pub fn model_is_ready(&self, model: &str, version: Option<i64>) -> Result<bool, CoreError> {
        self.server.model_is_ready(model, version)
    }

    /// Returns the metadata of the server as JSON: its name, version and extensions.
    ///
    /// # Errors
    ///
    /// Returns the error of Triton.
    pub fn metadata(&self) -> Result<String, CoreError> {
        self.server.metadata()
    }

    /// Returns the index of the repositories as JSON: the name, version, state and reason of each
    /// model.
    ///
    /// # Errors
    ///
    /// Returns the error of Triton.
    pub fn index(&self) -> Result<String, CoreError> {
        self.server.index()
    }

    /// Returns the metadata of a model as JSON.
    ///
    /// # Errors
    ///
    /// Returns an error if the model is not ready.
    pub fn model_metadata(&self, model: &str, version: Option<i64>) -> Result<String, CoreError> {
        self.server.model_metadata(model, version)
    }

    /// Returns the configuration of a model as JSON.
    ///
    /// # Errors
    ///
    /// Returns an error if the model is not ready.
    pub fn config(&self, model: &str, version: Option<i64>) -> Result<String, CoreError> {
        self.server.config(model, version)
    }

    /// Returns the statistics of a model, or of all models, as JSON.
    ///
    /// # Errors
    ///
    /// Returns an error if the model is not ready.
    pub fn statistics(
        &self,
        model: Option<&str>,
        version: Option<i64>,
    ) -> Result<String, CoreError> {
        self.server.statistics(model.unwrap_or_default(), version)
    }

    /// Returns the metrics in the text format of Prometheus.
    ///
    /// # Errors
    ///
    /// Returns an error if metrics are not enabled.
    pub fn metrics(&self) -> Result<String, CoreError> {
        self.server.metrics()
    }

    /// Loads a model, or loads it again. `config` replaces its configuration, as JSON. Blocks until
    /// it is loaded. If it is loaded already, there is a pause as in [`unload`](Self::unload).
    ///
    /// # Errors
    ///
    /// Returns an error if it does not load, or with [`ModelControl::All`](crate::ModelControl).
    pub fn load(&self, model: &str, config: Option<&str>) -> Result<(), CoreError> {
        self.server.load(model, config)
    }

    /// Unloads a model, and with `with_dependents` the models that it consists of. Requests under
    /// way are completed after the return.
    ///
    /// Triton can crash if a model is deleted at the moment at which one of its threads returns
    /// from a request. A pause of 300 ms before the unload makes that unlikely, unless requests are
    /// sent meanwhile. Those that take longer are deleted 300 ms after they ended.
    ///
    /// # Errors
    ///
    /// Returns an error with [`ModelControl::All`](crate::ModelControl).
    pub fn unload(&self, model: &str, with_dependents: bool) -> Result<(), CoreError> {
        self.server.unload(model, with_dependents)
    }

    /// Returns the number of requests that Triton has not completed and released.
    pub fn requests(&self) -> usize {
        self.server.unfinished()
    }

    /// Refuses further requests, waits until those under way are completed, and unloads the models.
    /// Blocks for at most [`CoreOptions::exit_timeout_secs`] for the requests, and then as long
    /// again for the models, if one does not end, for example because a sequence has no end.
    ///
    /// # Errors
    ///
    /// Returns [`CoreError::Unfinished`] if requests are still running after that; a later call
    /// waits again. Returns [`CoreError::Triton`] if models have not ended in time, as does every
    /// later call.
    pub fn stop(&self) -> Result<(), CoreError> {
        // Pairs with the load in `is_stopping`.
        self.stopping.store(true, Ordering::Release);
        self.server.stop(self.exit_timeout)
    }

    fn is_stopping(&self) -> bool {
        // Pairs with the store in `stop`.
        self.stopping.load(Ordering::Acquire)
    }
}
