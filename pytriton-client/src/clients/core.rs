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
use crate::servers::{Servers, UnderWay};
use crate::shared_memory::{Lent, Pool};
use crate::{
    ClientError, InferOptions, Inputs, ModelConfig, ModelStatistics, Outputs, SharedMemoryRegion,
    Stage,
};

use super::patience::Patience;
use super::readiness;

/// The shared part of all clients.
#[derive(Debug)]
pub(crate) struct Core {
    pub(super) servers: Servers,
    pub(super) model: Model,
    pub(super) patience: Patience,
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
pub(super) struct Asked<T> {
    pub(super) answer: T,
    pub(super) under_way: UnderWay,
    /// The deadline of the response.
    pub(super) deadline: Deadline,
    /// Whether to remove the batch axis of the outputs.
    pub(super) squeezed: bool,
}

impl Core {
    pub(super) fn new(
        servers: Servers,
        model: Model,
        patience: Patience,
        config: Option<Arc<ModelConfig>>,
        memory: Option<Arc<Pool>>,
    ) -> Self {
        Self {
            servers,
            model,
            patience,
            config: OnceCell::new_with(config),
            found: Mutex::default(),
            memory,
            closed: AtomicBool::new(false),
            ids: AtomicU64::new(0),
        }
    }

    /// Returns a new open client with its own connections and the same options.
    pub(super) fn anew(&self) -> Self {
        let config = self.config.get().cloned();
        let memory = self.memory.as_ref().map(|memory| Arc::new(memory.anew()));
        Self::new(
            self.servers.anew(),
            self.model.clone(),
            self.patience,
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
        self.ask_one(|server| async move { server.statistics(model).await })
            .await
    }

    /// Returns the shared-memory regions of one of the servers.
    pub(super) async fn regions(&self) -> Result<Vec<SharedMemoryRegion>, ClientError> {
        self.ask_one(|server| async move { server.regions().await })
            .await
    }

    /// Sends a request other than an inference to one server.
    async fn ask_one<T, F>(&self, ask: impl Fn(Arc<Server>) -> F) -> Result<T, ClientError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        let Self {
            servers, patience, ..
        } = self.open()?;
        let deadline = Deadline::new(Stage::Request, patience.request());
        let asked = patience.within(deadline, || servers.ask(None, deadline, &ask));
        asked.await.map(|(answer, _)| answer)
    }

    /// Loads the model on all servers. The time limit is the readiness timeout.
    pub(super) async fn load(&self, load: &Load) -> Result<(), ClientError> {
        let model = &self.model;
        self.tell(|server| async move { server.load(model, load).await })
            .await
    }

    pub(super) async fn unload(&self) -> Result<(), ClientError> {
        let model = &self.model;
        self.tell(|server| async move { server.unload(model).await })
            .await
    }

    /// Sends a request to all servers concurrently.
    async fn tell<F>(&self, tell: impl Fn(Arc<Server>) -> F) -> Result<(), ClientError>
    where
        F: Future<Output = Result<(), ClientError>>,
    {
        let Self {
            servers, patience, ..
        } = self.open()?;
        let deadline = Deadline::new(Stage::Request, patience.init);
        let told = servers.all().map(|server| async {
            let told = patience.within(deadline, || tell(Arc::clone(server)));
            Some((server.address().to_owned(), told.await.err()?))
        });
        let failed = join_all(told).await;
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
        let ask = |server: Arc<Server>, request: Arc<InferRequest>| async move {
            server.infer(&request).await
        };
        let asked = self.ask(false, inputs, options, rows, ask).await?;
        match asked.squeezed {
            true => asked.answer.first_row(),
            false => Ok(asked.answer),
        }
    }

    /// Sends a request to a streaming model.
    pub(super) async fn stream(
        &self,
        inputs: Inputs,
        options: InferOptions,
        rows: Rows,
    ) -> Result<Asked<grpc::Answers>, ClientError> {
        let ask = |server: Arc<Server>, request: Arc<InferRequest>| async move {
            server.stream(&request).await
        };
        self.ask(true, inputs, options, rows, ask).await
    }

    async fn ask<T, F>(
        &self,
        decoupled: bool,
        inputs: Inputs,
        options: InferOptions,
        rows: Rows,
        ask: impl Fn(Arc<Server>, Arc<InferRequest>) -> F,
    ) -> Result<Asked<T>, ClientError>
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
            let lent = Lent::new(memory, &config, inputs, options, decoupled);
            request.shared = deadline.within(lent).await?;
        }
        let request = Arc::new(request);
        let sequence = request.options.sequence.as_ref();
        let ask = |server| ask(server, Arc::clone(&request));
        let asked = self
            .patience
            .within(deadline, || self.servers.ask(sequence, deadline, ask));
        let (answer, under_way) = asked.await?;
        Ok(Asked {
            answer,
            under_way,
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
