use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::OnceCell;
use tokio::time::timeout;

use crate::grpc;
use crate::request::{InferRequest, Load, Model};
use crate::server::Server;
use crate::servers::Servers;
use crate::{ClientError, InferOptions, Inputs, ModelConfig, ModelStatistics, Outputs, Stage};

use super::patience::Patience;
use super::readiness;

/// What every kind of client is made of.
#[derive(Debug)]
pub(crate) struct Core {
    pub(super) servers: Servers,
    pub(super) model: Model,
    pub(super) patience: Patience,
    pub(super) config: OnceCell<Arc<ModelConfig>>,
    closed: AtomicBool,
    ids: AtomicU64,
}

/// Whether inputs are a row without the batch axis, or rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    Sample,
    Batch,
}

impl Core {
    pub(super) fn new(
        servers: Servers,
        model: Model,
        patience: Patience,
        config: Option<Arc<ModelConfig>>,
    ) -> Self {
        Self {
            servers,
            model,
            patience,
            config: OnceCell::new_with(config),
            closed: AtomicBool::new(false),
            ids: AtomicU64::new(0),
        }
    }

    /// The same for another client, which is open and has connections of its own.
    pub(super) fn anew(&self) -> Self {
        let config = self.config.get().cloned();
        Self::new(
            self.servers.anew(),
            self.model.clone(),
            self.patience,
            config,
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
        readiness::wait(&self.open()?.servers, None, limit)
            .await
            .map(drop)
    }

    pub(super) async fn wait_for_model(&self, limit: Duration) -> Result<(), ClientError> {
        readiness::wait(&self.open()?.servers, Some(&self.model), limit)
            .await
            .map(drop)
    }

    /// What the server says of the model, asked once, when the model is ready.
    pub(super) async fn config(&self) -> Result<Arc<ModelConfig>, ClientError> {
        let Self {
            servers,
            model,
            patience,
            ..
        } = self.open()?;
        let ask = || async {
            let server = readiness::wait(servers, Some(model), patience.init).await?;
            let asked =
                patience.within(Stage::Request, patience.request(), || server.config(model));
            asked.await.map(Arc::new)
        };
        // Those who wait for another's question have no more time for it.
        let limit = patience.init.saturating_add(patience.request());
        match timeout(limit, self.config.get_or_try_init(ask)).await {
            Ok(config) => config.cloned(),
            Err(_) => Err(ClientError::Timeout {
                stage: Stage::Readiness,
                timeout: limit,
                message: "others ask the server already, which does not answer".to_owned(),
            }),
        }
    }

    /// Those of one server, where there are several.
    pub(super) async fn statistics(&self) -> Result<Vec<ModelStatistics>, ClientError> {
        let Self {
            servers,
            model,
            patience,
            ..
        } = self.open()?;
        let ask = |server: Arc<Server>| async move { server.statistics(model).await };
        patience
            .within(Stage::Request, patience.request(), || {
                servers.ask(None, ask)
            })
            .await
    }

    /// Loading takes as long as getting ready. Each server is told.
    pub(super) async fn load(&self, load: Load) -> Result<(), ClientError> {
        let Self {
            servers,
            model,
            patience,
            ..
        } = self.open()?;
        for server in servers.all() {
            patience
                .within(Stage::Request, patience.init, || server.load(model, &load))
                .await?;
        }
        Ok(())
    }

    pub(super) async fn unload(&self) -> Result<(), ClientError> {
        let Self {
            servers,
            model,
            patience,
            ..
        } = self.open()?;
        for server in servers.all() {
            patience
                .within(Stage::Request, patience.init, || server.unload(model))
                .await?;
        }
        Ok(())
    }

    /// One answer of a model that gives one.
    pub(super) async fn infer(
        &self,
        inputs: Inputs,
        options: InferOptions,
        rows: Rows,
    ) -> Result<Outputs, ClientError> {
        let config = self.config().await?;
        if config.decoupled {
            let model = config.name.clone();
            return Err(ClientError::Decoupled { model });
        }
        let limit = options.timeout.unwrap_or(self.patience.inference);
        let request = self.request(&config, inputs, options, rows)?;
        let (request, sequence) = (&request, request.options.sequence.as_ref());
        let ask = |server: Arc<Server>| async move { server.infer(request).await };
        let asked = self
            .patience
            .within(Stage::Inference, limit, || self.servers.ask(sequence, ask));
        let outputs = asked.await?;
        match rows == Rows::Sample && config.is_batching_supported() {
            true => outputs.first_row(),
            false => Ok(outputs),
        }
    }

    /// The answers of a model that gives any number, and whether they are to lose their batch axis.
    pub(super) async fn stream(
        &self,
        inputs: Inputs,
        options: InferOptions,
        rows: Rows,
    ) -> Result<(grpc::Answers, bool), ClientError> {
        let config = self.config().await?;
        if !config.decoupled {
            let model = config.name.clone();
            return Err(ClientError::Coupled { model });
        }
        let limit = options.timeout.unwrap_or(self.patience.inference);
        let request = self.request(&config, inputs, options, rows)?;
        let (request, sequence) = (&request, request.options.sequence.as_ref());
        let ask = |server: Arc<Server>| async move { server.stream(request).await };
        let asked = self
            .patience
            .within(Stage::Inference, limit, || self.servers.ask(sequence, ask));
        Ok((
            asked.await?,
            rows == Rows::Sample && config.is_batching_supported(),
        ))
    }

    fn request(
        &self,
        config: &ModelConfig,
        inputs: Inputs,
        options: InferOptions,
        rows: Rows,
    ) -> Result<InferRequest, ClientError> {
        let mut inputs = inputs.named(config)?;
        match (rows, config.is_batching_supported()) {
            (Rows::Batch, false) => {
                let model = config.name.clone();
                return Err(ClientError::NoBatching { model });
            }
            (Rows::Sample, true) => {
                for (name, tensor) in &mut inputs {
                    let shape: Vec<usize> = [1]
                        .into_iter()
                        .chain(tensor.shape().iter().copied())
                        .collect();
                    *tensor = tensor.reshaped(shape).map_err(ClientError::tensor(name))?;
                }
            }
            _ => {}
        }
        let count = || self.ids.fetch_add(1, Ordering::Relaxed).to_string();
        Ok(InferRequest {
            model: self.model.clone(),
            id: options.id.clone().unwrap_or_else(count),
            inputs,
            options,
        })
    }
}
