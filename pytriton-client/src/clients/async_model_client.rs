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

/// An answer that is under way as long as this is polled; dropped, the request is cancelled.
pub type Inference = BoxFuture<'static, Result<Outputs, ClientError>>;

/// A client for one model, for programs that run on tokio. Clones are the same client: they share its connections, and are
/// closed together.
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
    /// A client with PyTriton's defaults. It connects when it is first needed, and waits then until the model is ready.
    ///
    /// # Errors
    ///
    /// [`ClientError::InvalidUrl`].
    pub fn new(url: &str, model: &str) -> Result<Self, ClientError> {
        Self::builder(url, model).build()
    }

    /// A client that is told more.
    pub fn builder(url: &str, model: &str) -> Builder<Self> {
        Builder::new(url, model)
    }

    /// Another client of the same server and model, with the same times, token and TLS, and what is known of the model. It has
    /// connections of its own, is open, and is closed apart.
    pub fn from_existing(client: &Self) -> Self {
        Self(Arc::new(client.0.anew()))
    }

    /// Answers to rows: axis 0 of each input is the batch.
    ///
    /// The inputs are taken before this returns; the request is sent when the answer is polled. It takes the client's time
    /// for an inference at most, which begins for the first one when the model is ready.
    ///
    /// # Errors
    ///
    /// [`ClientError::NoBatching`] where the model has no batch axis, [`ClientError::Decoupled`] where it answers any number
    /// of times, [`ClientError::Inputs`] for what is no request of it, and whatever else can happen to a request.
    pub fn infer_batch(&self, inputs: impl IntoInputs) -> Inference {
        self.infer_batch_with(inputs, InferOptions::new())
    }

    /// The same for a request that says more.
    ///
    /// # Errors
    ///
    /// As [`infer_batch`](Self::infer_batch).
    pub fn infer_batch_with(&self, inputs: impl IntoInputs, options: InferOptions) -> Inference {
        self.infer(inputs, options, Rows::Batch)
    }

    /// An answer to one row, without the batch axis in inputs and outputs. A model without one is asked as it is.
    ///
    /// # Errors
    ///
    /// As [`infer_batch`](Self::infer_batch), save that any model takes one row.
    pub fn infer_sample(&self, inputs: impl IntoInputs) -> Inference {
        self.infer_sample_with(inputs, InferOptions::new())
    }

    /// The same for a request that says more.
    ///
    /// # Errors
    ///
    /// As [`infer_sample`](Self::infer_sample).
    pub fn infer_sample_with(&self, inputs: impl IntoInputs, options: InferOptions) -> Inference {
        self.infer(inputs, options, Rows::Sample)
    }

    fn infer(&self, inputs: impl IntoInputs, options: InferOptions, rows: Rows) -> Inference {
        let (inputs, core) = (inputs.into_inputs(), Arc::clone(&self.0));
        Box::pin(async move { core.infer(inputs?, options, rows).await })
    }

    /// What the server says of the model. It is asked once, when the model is ready.
    ///
    /// # Errors
    ///
    /// [`ClientError::Timeout`] when the model is not ready in time, and whatever else can happen to a request.
    pub async fn model_config(&self) -> Result<Arc<ModelConfig>, ClientError> {
        self.0.config().await
    }

    /// Whether the model's tensors have a batch axis.
    ///
    /// # Errors
    ///
    /// As [`model_config`](Self::model_config).
    pub async fn is_batching_supported(&self) -> Result<bool, ClientError> {
        Ok(self.0.config().await?.is_batching_supported())
    }

    /// Waits until the server and the model are ready.
    ///
    /// # Errors
    ///
    /// [`ClientError::Timeout`] when they are not in time; at once where waiting does not help: [`ClientError::Tls`], and
    /// [`ClientError::Server`] where the client may not ask.
    pub async fn wait_for_model(&self, timeout: Duration) -> Result<(), ClientError> {
        self.0.wait_for_model(timeout).await
    }

    /// Waits until the server is ready.
    ///
    /// # Errors
    ///
    /// As [`wait_for_model`](Self::wait_for_model).
    pub async fn wait_for_server(&self, timeout: Duration) -> Result<(), ClientError> {
        self.0.wait_for_server(timeout).await
    }

    /// What each version of the model has done so far; that of the client alone where it has one.
    ///
    /// # Errors
    ///
    /// Whatever can happen to a request.
    pub async fn statistics(&self) -> Result<Vec<ModelStatistics>, ClientError> {
        self.0.statistics().await
    }

    /// The shared memory that the server knows, whoever shares it; that of one server, where there are several.
    ///
    /// # Errors
    ///
    /// Whatever can happen to a request.
    pub async fn shared_memory_regions(&self) -> Result<Vec<SharedMemoryRegion>, ClientError> {
        self.0.regions().await
    }

    /// Loads the model, where the server is told what to load by its clients.
    ///
    /// # Errors
    ///
    /// [`ClientError::Server`] where it is not, or the model cannot be loaded, and whatever else can happen to a request. Of several
    /// servers each is told, and [`ClientError::Several`] says which have failed.
    pub async fn load_model(&self) -> Result<(), ClientError> {
        self.load(None, &[]).await
    }

    /// Loads the model with another configuration, as JSON, and with files in place of its own: `file:1/model.bin` and what is
    /// in it.
    ///
    /// # Errors
    ///
    /// As [`load_model`](Self::load_model).
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
    /// As [`load_model`](Self::load_model).
    pub async fn unload_model(&self) -> Result<(), ClientError> {
        self.0.unload().await
    }

    /// Ends the client: whatever is asked of it from now on is [`ClientError::Closed`]. What is under way is answered.
    pub fn close(&self) {
        self.0.close();
    }
}

impl Builder<AsyncModelClient> {
    /// A client that connects when it is first needed.
    ///
    /// # Errors
    ///
    /// [`ClientError::InvalidUrl`], [`ClientError::Tls`] for certificates that are none, and [`ClientError::Inputs`] for an
    /// access token that no header can have.
    pub fn build(self) -> Result<AsyncModelClient, ClientError> {
        Ok(AsyncModelClient(Arc::new(self.core()?)))
    }

    /// A client that has found its model ready, and knows what the server says of it.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build) and [`AsyncModelClient::model_config`].
    pub async fn connect(self) -> Result<AsyncModelClient, ClientError> {
        let client = self.build()?;
        client.model_config().await?;
        Ok(client)
    }
}
