use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::{Mutex, OnceCell};

use crate::deadline::Deadline;
use crate::grpc;
use crate::request::{InferRequest, Load, Model};
use crate::server::Server;
use crate::servers::{RequestInFlight, Servers};
use crate::shared_memory::{Pool, RegionGuard};
use crate::{
    ClientError, InferOptions, Inputs, ModelConfig, ModelStatistics, Outputs, SharedMemoryRegion,
    Stage,
};

use super::readiness;
use super::retry_policy::RetryPolicy;

/// The shared part of all clients.
#[derive(Debug)]
pub(crate) struct Core {
    pub(super) servers: Servers,
    pub(super) model: Model,
    pub(super) retry_policy: RetryPolicy,
    pub(super) config: OnceCell<Arc<ModelConfig>>,
    /// A server on which the model is ready, until its configuration is known.
    pub(super) found: Mutex<Option<Arc<Server>>>,
    memory: Option<Arc<Pool>>,
    closed: AtomicBool,
    ids: AtomicU64,
}

/// Whether inputs are a sample without the batch axis, or a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    Sample,
    Batch,
}

/// The response to an inference, and how to convert it.
#[derive(Debug)]
pub(super) struct InferenceResponse<T> {
    pub(super) content: T,
    pub(super) in_flight: RequestInFlight,
    /// The deadline of the response.
    pub(super) deadline: Deadline,
    /// Whether to remove the batch axis of the outputs.
    pub(super) squeezed: bool,
}

impl Core {
    pub(super) fn new(
        servers: Servers,
        model: Model,
        retry_policy: RetryPolicy,
        config: Option<Arc<ModelConfig>>,
        memory: Option<Arc<Pool>>,
    ) -> Self {
        Self {
            servers,
            model,
            retry_policy,
            config: OnceCell::new_with(config),
            found: Mutex::default(),
            memory,
            closed: AtomicBool::new(false),
            ids: AtomicU64::new(0),
        }
    }

    /// Returns a new open client with its own connections and the same options.
    pub(super) fn with_new_connections(&self) -> Self {
        let config = self.config.get().cloned();
        let memory = self
            .memory
            .as_ref()
            .map(|memory| Arc::new(memory.with_new_connections()));
        Self::new(
            self.servers.with_new_connections(),
            self.model.clone(),
            self.retry_policy,
            config,
            memory,
        )
    }

    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    pub(super) fn open(&self) -> Result<&Self, ClientError> {
        match self.closed.load(Ordering::Relaxed) {
            true => Err(ClientError::Closed),
            false => Ok(self),
        }
    }

    pub(super) async fn wait_for_server(&self, limit: Duration) -> Result<(), ClientError> {
        let deadline = Deadline::new(Stage::Readiness, limit);
        let ready = readiness::wait(&self.open()?.servers, None, deadline);
        ready.await.map(drop)
    }

    pub(super) async fn wait_for_model(&self, limit: Duration) -> Result<(), ClientError> {
        let deadline = Deadline::new(Stage::Readiness, limit);
        let ready = readiness::wait(&self.open()?.servers, Some(&self.model), deadline);
        ready.await.map(drop)
    }

    /// Statistics from one of the servers.
    pub(super) async fn statistics(&self) -> Result<Vec<ModelStatistics>, ClientError> {
        let model = &self.model;
        self.send_to_one(|server| async move { server.statistics(model).await })
            .await
    }

    /// Returns the shared-memory regions of one of the servers.
    pub(super) async fn regions(&self) -> Result<Vec<SharedMemoryRegion>, ClientError> {
        self.send_to_one(|server| async move { server.regions().await })
            .await
    }

    /// Sends a request other than an inference to one server.
    async fn send_to_one<T, F>(&self, send: impl Fn(Arc<Server>) -> F) -> Result<T, ClientError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        let Self {
            servers,
            retry_policy,
            ..
        } = self.open()?;
        let deadline = Deadline::new(Stage::Request, retry_policy.request());
        let response = retry_policy.within(deadline, || servers.send(None, deadline, &send));
        response.await.map(|(content, _)| content)
    }

    /// Loads the model on all servers. The time limit is the readiness timeout.
    pub(super) async fn load(&self, load: &Load) -> Result<(), ClientError> {
        let model = &self.model;
        self.send_to_all(|server| async move { server.load(model, load).await })
            .await
    }

    pub(super) async fn unload(&self) -> Result<(), ClientError> {
        let model = &self.model;
        self.send_to_all(|server| async move { server.unload(model).await })
            .await
    }

    /// Sends a request to all servers concurrently.
    async fn send_to_all<F>(&self, send: impl Fn(Arc<Server>) -> F) -> Result<(), ClientError>
    where
        F: Future<Output = Result<(), ClientError>>,
    {
        let Self {
            servers,
            retry_policy,
            ..
        } = self.open()?;
        let deadline = Deadline::new(Stage::Request, retry_policy.init);
        let results = servers.all().map(|server| async {
            let result = retry_policy.within(deadline, || send(Arc::clone(server)));
            Some((server.address().to_owned(), result.await.err()?))
        });
        let failed = join_all(results).await;
        let mut failed: Vec<_> = failed.into_iter().flatten().collect();
        match (failed.len(), servers.all().len()) {
            (0, _) => Ok(()),
            (1, 1) => Err(failed.remove(0).1),
            (_, of) => Err(ClientError::Several { failed, of }),
        }
    }

    /// Sends a request to a model with a single response.
    pub(super) async fn infer(
        &self,
        inputs: Inputs,
        options: InferOptions,
        rows: Rows,
    ) -> Result<Outputs, ClientError> {
        let send = |server: Arc<Server>, request: Arc<InferRequest>| async move {
            server.infer(&request).await
        };
        let response = self.send(false, inputs, options, rows, send).await?;
        match response.squeezed {
            true => response.content.first_row(),
            false => Ok(response.content),
        }
    }

    /// Sends a request to a streaming model.
    pub(super) async fn stream(
        &self,
        inputs: Inputs,
        options: InferOptions,
        rows: Rows,
    ) -> Result<InferenceResponse<grpc::ResponseStream>, ClientError> {
        let send = |server: Arc<Server>, request: Arc<InferRequest>| async move {
            server.stream(&request).await
        };
        self.send(true, inputs, options, rows, send).await
    }

    async fn send<T, F>(
        &self,
        decoupled: bool,
        inputs: Inputs,
        options: InferOptions,
        rows: Rows,
        send: impl Fn(Arc<Server>, Arc<InferRequest>) -> F,
    ) -> Result<InferenceResponse<T>, ClientError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        let (config, deadline) = self.begin(options.timeout).await?;
        let model = || config.name.clone();
        match (config.decoupled, decoupled) {
            (true, false) => return Err(ClientError::Decoupled { model: model() }),
            (false, true) if !config.from_metadata => {
                return Err(ClientError::Coupled { model: model() });
            }
            _ => {}
        }
        let (mut request, squeezed) = self.request(&config, inputs, options, rows)?;
        if let Some(memory) = &self.memory {
            let (inputs, options) = (&request.inputs, &request.options);
            let guard = RegionGuard::new(memory, &config, inputs, options, decoupled);
            request.shared = deadline.within(guard).await?;
        }
        let request = Arc::new(request);
        let sequence = request.options.sequence.as_ref();
        let send = |server| send(server, Arc::clone(&request));
        let response = self
            .retry_policy
            .within(deadline, || self.servers.send(sequence, deadline, send));
        let (content, in_flight) = response.await?;
        Ok(InferenceResponse {
            content,
            in_flight,
            deadline,
            squeezed,
        })
    }

    /// Returns the request, and whether to remove the batch axis that was added to its inputs.
    fn request(
        &self,
        config: &ModelConfig,
        inputs: Inputs,
        options: InferOptions,
        rows: Rows,
    ) -> Result<(InferRequest, bool), ClientError> {
        let mut inputs = inputs.named(config)?;
        let single = match (rows, config.from_metadata) {
            (Rows::Sample, false) => config.is_batching_supported(),
            (Rows::Sample, true) => {
                let given = inputs.iter();
                config.are_rows(given.map(|(name, tensor)| (name.as_str(), tensor.shape().len())))
            }
            (Rows::Batch, false) if !config.is_batching_supported() => {
                let model = config.name.clone();
                return Err(ClientError::NoBatching { model });
            }
            (Rows::Batch, _) => false,
        };
        if single {
            for (name, tensor) in &mut inputs {
                let shape: Vec<usize> = [1]
                    .into_iter()
                    .chain(tensor.shape().iter().copied())
                    .collect();
                *tensor = tensor.reshaped(shape).map_err(ClientError::tensor(name))?;
            }
        }
        let count = || self.ids.fetch_add(1, Ordering::Relaxed).to_string();
        let request = InferRequest {
            model: self.model.clone(),
            id: options.id.clone().unwrap_or_else(count),
            inputs,
            options,
            shared: None,
            as_json: config.as_json,
        };
        Ok((request, single))
    }
}
