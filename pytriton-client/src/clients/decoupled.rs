use std::sync::Arc;

use crate::{ClientError, InferOptions, IntoInputs, ModelConfig};

use super::core::Rows;
use super::responses::{ResponseIter, ResponseStream};
use super::worker::Worker;
use super::{AsyncModelClient, Builder, ModelClient};

/// A client for streaming models over gRPC, for tokio programs. It supports any number of
/// concurrent requests.
///
/// # Examples
///
/// ```no_run
/// use futures_util::TryStreamExt;
/// use ndarray::{Ix1, array};
/// use pytriton_client::{AsyncDecoupledModelClient, ClientError};
///
/// # async fn ask() -> Result<(), ClientError> {
/// let client = AsyncDecoupledModelClient::new("grpc://localhost", "Countdown")?;
/// let mut responses = client.infer_sample(array![3]);
/// while let Some(outputs) = responses.try_next().await? {
///     println!("{}", outputs.view::<i32, Ix1>("OUTPUT_1")?);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct AsyncDecoupledModelClient(pub(super) AsyncModelClient);

/// A blocking client for streaming models; responses are an iterator.
///
/// # Examples
///
/// ```no_run
/// use ndarray::{Ix1, array};
/// use pytriton_client::DecoupledModelClient;
///
/// # fn main() -> Result<(), pytriton_client::ClientError> {
/// let client = DecoupledModelClient::new("grpc://localhost", "Countdown")?;
/// for outputs in client.infer_sample(array![3]) {
///     println!("{}", outputs?.view::<i32, Ix1>("OUTPUT_1")?);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct DecoupledModelClient {
    client: AsyncDecoupledModelClient,
    worker: Arc<Worker>,
}

impl AsyncDecoupledModelClient {
    /// Creates a client with PyTriton's defaults. On first use, the client connects and waits until
    /// the model is ready.
    ///
    /// # Errors
    ///
    /// Returns [`ClientError::InvalidUrl`], and [`ClientError::OnlyGrpc`] for an HTTP address.
    pub fn new(url: &str, model: &str) -> Result<Self, ClientError> {
        Self::builder(url, model).build()
    }

    /// Returns a builder with further options.
    pub fn builder(url: &str, model: &str) -> Builder<Self> {
        Builder::new(url, model)
    }

    /// See [`AsyncModelClient::from_existing`].
    pub fn from_existing(client: &Self) -> Self {
        Self(AsyncModelClient::from_existing(&client.0))
    }

    /// Sends a batch: axis 0 of each input is the batch axis. The request is sent when the stream
    /// is polled.
    ///
    /// An item is [`ClientError::Coupled`] if the model sends a single response; for other errors
    /// see [`AsyncModelClient::infer_batch`].
    pub fn infer_batch(&self, inputs: impl IntoInputs) -> ResponseStream {
        self.infer_batch_with(inputs, InferOptions::new())
    }

    /// Like [`infer_batch`](Self::infer_batch), with options.
    pub fn infer_batch_with(
        &self,
        inputs: impl IntoInputs,
        options: InferOptions,
    ) -> ResponseStream {
        ResponseStream::new(
            Arc::clone(&self.0.0),
            inputs.into_inputs(),
            options,
            Rows::Batch,
        )
    }

    /// Sends one sample, without the batch axis in inputs and outputs. For a model without a batch
    /// axis, the inputs are sent unchanged.
    pub fn infer_sample(&self, inputs: impl IntoInputs) -> ResponseStream {
        self.infer_sample_with(inputs, InferOptions::new())
    }

    /// Like [`infer_sample`](Self::infer_sample), with options.
    pub fn infer_sample_with(
        &self,
        inputs: impl IntoInputs,
        options: InferOptions,
    ) -> ResponseStream {
        ResponseStream::new(
            Arc::clone(&self.0.0),
            inputs.into_inputs(),
            options,
            Rows::Sample,
        )
    }

    /// See [`AsyncModelClient::model_config`].
    ///
    /// # Errors
    ///
    /// See [`AsyncModelClient::model_config`].
    pub async fn model_config(&self) -> Result<Arc<ModelConfig>, ClientError> {
        self.0.model_config().await
    }

    /// Returns the underlying client, for readiness, statistics and loading.
    pub fn client(&self) -> &AsyncModelClient {
        &self.0
    }

    /// See [`AsyncModelClient::close`]. Open streams continue.
    pub fn close(&self) {
        self.0.close();
    }
}

impl Builder<AsyncDecoupledModelClient> {
    /// Creates a client that connects on first use.
    ///
    /// # Errors
    ///
    /// See [`AsyncDecoupledModelClient::new`]. Also [`ClientError::Tls`] for invalid certificates,
    /// and [`ClientError::Inputs`] if the access token is not a valid header value.
    pub fn build(self) -> Result<AsyncDecoupledModelClient, ClientError> {
        let addresses = self.addresses()?;
        let other = addresses.iter().find(|address| !address.scheme().is_grpc());
        match other {
            None => Ok(AsyncDecoupledModelClient(
                self.of::<AsyncModelClient>().build()?,
            )),
            Some(address) => Err(ClientError::OnlyGrpc {
                what: "a request with any number of responses",
                address: address.to_string(),
            }),
        }
    }

    /// Connects, waits until the model is ready, and fetches its configuration.
    ///
    /// # Errors
    ///
    /// See [`build`](Self::build) and [`AsyncDecoupledModelClient::model_config`].
    pub async fn connect(self) -> Result<AsyncDecoupledModelClient, ClientError> {
        let client = self.build()?;
        client.model_config().await?;
        Ok(client)
    }
}

impl DecoupledModelClient {
    /// See [`AsyncDecoupledModelClient::new`].
    ///
    /// # Errors
    ///
    /// See [`AsyncDecoupledModelClient::new`]. Also [`ClientError::Thread`] if its thread cannot be
    /// started.
    pub fn new(url: &str, model: &str) -> Result<Self, ClientError> {
        Self::builder(url, model).build()
    }

    /// Returns a builder with further options.
    pub fn builder(url: &str, model: &str) -> Builder<Self> {
        Builder::new(url, model)
    }

    /// See [`ModelClient::from_existing`](super::ModelClient::from_existing).
    ///
    /// # Errors
    ///
    /// Returns [`ClientError::Thread`] if its thread cannot be started.
    pub fn from_existing(client: &Self) -> Result<Self, ClientError> {
        let client = AsyncDecoupledModelClient::from_existing(&client.client);
        let worker = Worker::start()?;
        Ok(Self { client, worker })
    }

    /// See [`AsyncDecoupledModelClient::infer_batch`].
    pub fn infer_batch(&self, inputs: impl IntoInputs) -> ResponseIter {
        self.infer_batch_with(inputs, InferOptions::new())
    }

    /// Like [`infer_batch`](Self::infer_batch), with options.
    pub fn infer_batch_with(&self, inputs: impl IntoInputs, options: InferOptions) -> ResponseIter {
        ResponseIter::new(
            self.client.infer_batch_with(inputs, options),
            Arc::clone(&self.worker),
        )
    }

    /// See [`AsyncDecoupledModelClient::infer_sample`].
    pub fn infer_sample(&self, inputs: impl IntoInputs) -> ResponseIter {
        self.infer_sample_with(inputs, InferOptions::new())
    }

    /// Like [`infer_sample`](Self::infer_sample), with options.
    pub fn infer_sample_with(
        &self,
        inputs: impl IntoInputs,
        options: InferOptions,
    ) -> ResponseIter {
        ResponseIter::new(
            self.client.infer_sample_with(inputs, options),
            Arc::clone(&self.worker),
        )
    }

    /// See [`AsyncModelClient::model_config`].
    ///
    /// # Errors
    ///
    /// See [`AsyncModelClient::model_config`].
    pub fn model_config(&self) -> Result<Arc<ModelConfig>, ClientError> {
        let client = self.client.clone();
        self.worker
            .run(async move { client.model_config().await })?
    }

    /// Returns the underlying client, for readiness, statistics and loading.
    pub fn client(&self) -> ModelClient {
        ModelClient {
            client: self.client.0.clone(),
            worker: Arc::clone(&self.worker),
        }
    }

    /// See [`AsyncModelClient::close`]. Open streams continue.
    pub fn close(&self) {
        self.client.close();
    }
}

impl Builder<DecoupledModelClient> {
    /// Creates a client that connects on first use.
    ///
    /// # Errors
    ///
    /// See [`DecoupledModelClient::new`] and `build` of an [`AsyncDecoupledModelClient`].
    pub fn build(self) -> Result<DecoupledModelClient, ClientError> {
        let client = self.of::<AsyncDecoupledModelClient>().build()?;
        let worker = Worker::start()?;
        Ok(DecoupledModelClient { client, worker })
    }

    /// Connects, waits until the model is ready, and fetches its configuration.
    ///
    /// # Errors
    ///
    /// See [`build`](Self::build) and [`DecoupledModelClient::model_config`].
    pub fn connect(self) -> Result<DecoupledModelClient, ClientError> {
        let client = self.build()?;
        client.model_config()?;
        Ok(client)
    }
}
