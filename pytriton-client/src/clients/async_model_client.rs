use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use crate::request::Load;
use crate::{
    ClientError, InferOptions, IntoInputs, ModelConfig, ModelStatistics, Outputs,
    SharedMemoryRegion,
};

use super::Builder;
use super::core::{Core, Rows};

/// A future that completes with the response. Dropping it cancels the request.
pub type Inference = BoxFuture<'static, Result<Outputs, ClientError>>;

/// A client for one model, for tokio programs. Clones share the connections and are closed
/// together.
///
/// # Examples
///
/// ```no_run
/// use std::time::Duration;
///
/// use ndarray::{Ix1, array};
/// use pytriton_client::{AsyncModelClient, ClientError, InferOptions};
///
/// # async fn ask() -> Result<(), ClientError> {
/// let client = AsyncModelClient::builder("grpc://localhost", "AddSub")
///     .inference_timeout(Duration::from_secs(5))
///     .connect()
///     .await?;
/// let options = InferOptions::new().header("x-user", "ada");
/// let outputs = client.infer_sample_with((array![1, 2], array![3, 4]), options).await?;
/// assert_eq!(outputs.array::<i32, Ix1>("OUTPUT_1")?, array![4, 6]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct AsyncModelClient(pub(super) Arc<Core>);

impl AsyncModelClient {
    /// Creates a client with PyTriton's defaults. On first use, the client connects and waits until
    /// the model is ready.
    ///
    /// # Errors
    ///
    /// Returns [`ClientError::InvalidUrl`].
    pub fn new(url: &str, model: &str) -> Result<Self, ClientError> {
        Self::builder(url, model).build()
    }

    /// Returns a builder with further options.
    pub fn builder(url: &str, model: &str) -> Builder<Self> {
        Builder::new(url, model)
    }

    /// Creates another client for the same server and model with the same options and model
    /// metadata. It has its own connections, and is closed separately.
    pub fn from_existing(client: &Self) -> Self {
        Self(Arc::new(client.0.with_new_connections()))
    }

    /// Sends a batch: axis 0 of each input is the batch axis.
    ///
    /// The inputs are converted before this returns; the request is sent when the future is polled.
    /// The inference timeout applies. For the first inference, it starts when the model is ready.
    ///
    /// # Errors
    ///
    /// Returns [`ClientError::NoBatching`] if the model does not support batching,
    /// [`ClientError::Decoupled`] if it streams its responses, and [`ClientError::Inputs`] if the
    /// inputs do not match it. Also returns any error of the request itself.
    pub fn infer_batch(&self, inputs: impl IntoInputs) -> Inference {
        self.infer_batch_with(inputs, InferOptions::new())
    }

    /// Like [`infer_batch`](Self::infer_batch), with options.
    ///
    /// # Errors
    ///
    /// See [`infer_batch`](Self::infer_batch).
    pub fn infer_batch_with(&self, inputs: impl IntoInputs, options: InferOptions) -> Inference {
        self.infer(inputs, options, Rows::Batch)
    }

    /// Sends one sample, without the batch axis in inputs and outputs. For a model without a batch
    /// axis, the inputs are sent unchanged.
    ///
    /// # Errors
    ///
    /// See [`infer_batch`](Self::infer_batch), except that any model accepts a sample.
    pub fn infer_sample(&self, inputs: impl IntoInputs) -> Inference {
        self.infer_sample_with(inputs, InferOptions::new())
    }

    /// Like [`infer_sample`](Self::infer_sample), with options.
    ///
    /// # Errors
    ///
    /// See [`infer_sample`](Self::infer_sample).
    pub fn infer_sample_with(&self, inputs: impl IntoInputs, options: InferOptions) -> Inference {
        self.infer(inputs, options, Rows::Sample)
    }

    fn infer(&self, inputs: impl IntoInputs, options: InferOptions, rows: Rows) -> Inference {
        let (inputs, core) = (inputs.into_inputs(), Arc::clone(&self.0));
        Box::pin(async move { core.infer(inputs?, options, rows).await })
    }

    /// Returns the model's configuration. The client requests it once, when the model is ready.
    ///
    /// # Errors
    ///
    /// Returns [`ClientError::Timeout`] if the model is not ready in time, and any error of the
    /// request itself.
    pub async fn model_config(&self) -> Result<Arc<ModelConfig>, ClientError> {
        self.0.config().await
    }

    /// Returns whether the model's tensors have a batch axis.
    ///
    /// # Errors
    ///
    /// See [`model_config`](Self::model_config).
    pub async fn is_batching_supported(&self) -> Result<bool, ClientError> {
        Ok(self.0.config().await?.is_batching_supported())
    }

    /// Waits until the server and the model are ready.
    ///
    /// # Errors
    ///
    /// Returns [`ClientError::Timeout`] if they are not ready in time. Returns immediately if
    /// waiting cannot help: [`ClientError::Tls`], or [`ClientError::Server`] if access is denied.
    pub async fn wait_for_model(&self, timeout: Duration) -> Result<(), ClientError> {
        self.0.wait_for_model(timeout).await
    }

    /// Waits until the server is ready.
    ///
    /// # Errors
    ///
    /// See [`wait_for_model`](Self::wait_for_model).
    pub async fn wait_for_server(&self, timeout: Duration) -> Result<(), ClientError> {
        self.0.wait_for_server(timeout).await
    }

    /// Returns the statistics of each version of the model, or of the client's version if it has
    /// one.
    ///
    /// # Errors
    ///
    /// Returns any error of the request itself.
    pub async fn statistics(&self) -> Result<Vec<ModelStatistics>, ClientError> {
        self.0.statistics().await
    }

    /// Returns the shared-memory regions that are registered at the server, or at one of several
    /// servers.
    ///
    /// # Errors
    ///
    /// Returns any error of the request itself.
    pub async fn shared_memory_regions(&self) -> Result<Vec<SharedMemoryRegion>, ClientError> {
        self.0.regions().await
    }

    /// Loads the model, if the server allows clients to load models.
    ///
    /// # Errors
    ///
    /// Returns [`ClientError::Server`] if the server does not allow it or the load fails, and any
    /// error of the request itself. With several servers, all of them load the model, and
    /// [`ClientError::Several`] lists the failures.
    pub async fn load_model(&self) -> Result<(), ClientError> {
        self.load(None, &[]).await
    }

    /// Loads the model with another configuration (JSON) and with files that replace the model's
    /// own, such as `file:1/model.bin` and its contents.
    ///
    /// # Errors
    ///
    /// See [`load_model`](Self::load_model).
    pub async fn load_model_with(
        &self,
        config: &str,
        files: &[(&str, &[u8])],
    ) -> Result<(), ClientError> {
        self.load(Some(config), files).await
    }

    pub(super) fn load(
        &self,
        config: Option<&str>,
        files: &[(&str, &[u8])],
    ) -> BoxFuture<'static, Result<(), ClientError>> {
        let files = files
            .iter()
            .map(|(name, contents)| ((*name).to_owned(), contents.to_vec()));
        let load = Load {
            config: config.map(str::to_owned),
            files: files.collect(),
        };
        let core = Arc::clone(&self.0);
        Box::pin(async move { core.load(&load).await })
    }

    /// Unloads the model.
    ///
    /// # Errors
    ///
    /// See [`load_model`](Self::load_model).
    pub async fn unload_model(&self) -> Result<(), ClientError> {
        self.0.unload().await
    }

    /// Closes the client: further requests fail with [`ClientError::Closed`]. Requests in flight
    /// are completed.
    pub fn close(&self) {
        self.0.close();
    }
}

impl Builder<AsyncModelClient> {
    /// Creates a client that connects on first use.
    ///
    /// # Errors
    ///
    /// Returns [`ClientError::InvalidUrl`], [`ClientError::Tls`] for invalid certificates, and
    /// [`ClientError::Inputs`] if the access token is not a valid header value.
    pub fn build(self) -> Result<AsyncModelClient, ClientError> {
        Ok(AsyncModelClient(Arc::new(self.core()?)))
    }

    /// Connects, waits until the model is ready, and fetches its configuration.
    ///
    /// # Errors
    ///
    /// See [`build`](Self::build) and [`AsyncModelClient::model_config`].
    pub async fn connect(self) -> Result<AsyncModelClient, ClientError> {
        let client = self.build()?;
        client.model_config().await?;
        Ok(client)
    }
}
