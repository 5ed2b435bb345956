use std::sync::Arc;
use std::time::Duration;

use crate::{
    ClientError, InferOptions, IntoInputs, ModelConfig, ModelStatistics, Outputs,
    SharedMemoryRegion,
};

use super::worker::Worker;
use super::{AsyncModelClient, Builder};

/// A blocking client for one model. It works on any thread, including runtime threads, which it
/// blocks. Clones share the connections and can be used concurrently.
///
/// # Examples
///
/// ```no_run
/// use ndarray::{Ix1, array};
/// use pytriton_client::ModelClient;
///
/// # fn main() -> Result<(), pytriton_client::ClientError> {
/// let client = ModelClient::new("localhost", "AddSub")?;
/// let outputs = client.infer_sample((array![1, 2], array![3, 4]))?;
/// assert_eq!(outputs.array::<i32, Ix1>("OUTPUT_1")?, array![4, 6]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ModelClient {
    pub(super) client: AsyncModelClient,
    pub(super) worker: Arc<Worker>,
}

impl ModelClient {
    /// Creates a client with PyTriton's defaults. On first use, the client connects and waits until
    /// the model is ready.
    ///
    /// # Errors
    ///
    /// Returns [`ClientError::InvalidUrl`], and [`ClientError::Thread`] if its thread cannot be
    /// started.
    pub fn new(url: &str, model: &str) -> Result<Self, ClientError> {
        Self::builder(url, model).build()
    }

    /// Returns a builder with further options.
    pub fn builder(url: &str, model: &str) -> Builder<Self> {
        Builder::new(url, model)
    }

    /// Creates another client for the same server and model with the same options and model
    /// metadata. It has its own connections, and is closed separately.
    ///
    /// # Errors
    ///
    /// Returns [`ClientError::Thread`] if its thread cannot be started.
    pub fn from_existing(client: &Self) -> Result<Self, ClientError> {
        Self::of(AsyncModelClient::from_existing(&client.client))
    }

    fn of(client: AsyncModelClient) -> Result<Self, ClientError> {
        let worker = Worker::start()?;
        Ok(Self { client, worker })
    }

    /// Blocking version of [`AsyncModelClient::infer_batch`].
    ///
    /// # Errors
    ///
    /// See [`AsyncModelClient::infer_batch`].
    pub fn infer_batch(&self, inputs: impl IntoInputs) -> Result<Outputs, ClientError> {
        self.worker.run(self.client.infer_batch(inputs))?
    }

    /// Blocking version of [`AsyncModelClient::infer_batch_with`].
    ///
    /// # Errors
    ///
    /// See [`AsyncModelClient::infer_batch`].
    pub fn infer_batch_with(
        &self,
        inputs: impl IntoInputs,
        options: InferOptions,
    ) -> Result<Outputs, ClientError> {
        self.worker
            .run(self.client.infer_batch_with(inputs, options))?
    }

    /// Blocking version of [`AsyncModelClient::infer_sample`].
    ///
    /// # Errors
    ///
    /// See [`AsyncModelClient::infer_sample`].
    pub fn infer_sample(&self, inputs: impl IntoInputs) -> Result<Outputs, ClientError> {
        self.worker.run(self.client.infer_sample(inputs))?
    }

    /// Blocking version of [`AsyncModelClient::infer_sample_with`].
    ///
    /// # Errors
    ///
    /// See [`AsyncModelClient::infer_sample`].
    pub fn infer_sample_with(
        &self,
        inputs: impl IntoInputs,
        options: InferOptions,
    ) -> Result<Outputs, ClientError> {
        self.worker
            .run(self.client.infer_sample_with(inputs, options))?
    }

    /// Blocking version of [`AsyncModelClient::model_config`].
    ///
    /// # Errors
    ///
    /// See [`AsyncModelClient::model_config`].
    pub fn model_config(&self) -> Result<Arc<ModelConfig>, ClientError> {
        let client = self.client.clone();
        self.worker
            .run(async move { client.model_config().await })?
    }

    /// Blocking version of [`AsyncModelClient::is_batching_supported`].
    ///
    /// # Errors
    ///
    /// See [`AsyncModelClient::model_config`].
    pub fn is_batching_supported(&self) -> Result<bool, ClientError> {
        Ok(self.model_config()?.is_batching_supported())
    }

    /// Blocking version of [`AsyncModelClient::wait_for_model`].
    ///
    /// # Errors
    ///
    /// See [`AsyncModelClient::wait_for_model`].
    pub fn wait_for_model(&self, timeout: Duration) -> Result<(), ClientError> {
        let client = self.client.clone();
        self.worker
            .run(async move { client.wait_for_model(timeout).await })?
    }

    /// Blocking version of [`AsyncModelClient::wait_for_server`].
    ///
    /// # Errors
    ///
    /// See [`AsyncModelClient::wait_for_model`].
    pub fn wait_for_server(&self, timeout: Duration) -> Result<(), ClientError> {
        let client = self.client.clone();
        self.worker
            .run(async move { client.wait_for_server(timeout).await })?
    }

    /// Blocking version of [`AsyncModelClient::statistics`].
    ///
    /// # Errors
    ///
    /// See [`AsyncModelClient::statistics`].
    pub fn statistics(&self) -> Result<Vec<ModelStatistics>, ClientError> {
        let client = self.client.clone();
        self.worker.run(async move { client.statistics().await })?
    }

    /// Blocking version of [`AsyncModelClient::shared_memory_regions`].
    ///
    /// # Errors
    ///
    /// See [`AsyncModelClient::shared_memory_regions`].
    pub fn shared_memory_regions(&self) -> Result<Vec<SharedMemoryRegion>, ClientError> {
        let client = self.client.clone();
        self.worker
            .run(async move { client.shared_memory_regions().await })?
    }

    /// Blocking version of [`AsyncModelClient::load_model`].
    ///
    /// # Errors
    ///
    /// See [`AsyncModelClient::load_model`].
    pub fn load_model(&self) -> Result<(), ClientError> {
        let client = self.client.clone();
        self.worker.run(async move { client.load_model().await })?
    }

    /// Blocking version of [`AsyncModelClient::load_model_with`].
    ///
    /// # Errors
    ///
    /// See [`AsyncModelClient::load_model`].
    pub fn load_model_with(
        &self,
        config: &str,
        files: &[(&str, &[u8])],
    ) -> Result<(), ClientError> {
        self.worker.run(self.client.load(Some(config), files))?
    }

    /// Blocking version of [`AsyncModelClient::unload_model`].
    ///
    /// # Errors
    ///
    /// See [`AsyncModelClient::load_model`].
    pub fn unload_model(&self) -> Result<(), ClientError> {
        let client = self.client.clone();
        self.worker
            .run(async move { client.unload_model().await })?
    }

    /// Closes the client: further requests fail with [`ClientError::Closed`]. Requests in flight
    /// are completed.
    pub fn close(&self) {
        self.client.close();
    }
}

impl Builder<ModelClient> {
    /// Creates a client that connects on first use.
    ///
    /// # Errors
    ///
    /// See [`ModelClient::new`]. Also [`ClientError::Tls`] for invalid certificates, and
    /// [`ClientError::Inputs`] if the access token is not a valid header value.
    pub fn build(self) -> Result<ModelClient, ClientError> {
        ModelClient::of(self.of::<AsyncModelClient>().build()?)
    }

    /// Connects, waits until the model is ready, and fetches its configuration.
    ///
    /// # Errors
    ///
    /// See [`build`](Self::build) and [`ModelClient::model_config`].
    pub fn connect(self) -> Result<ModelClient, ClientError> {
        let client = self.build()?;
        client.model_config()?;
        Ok(client)
    }
}
