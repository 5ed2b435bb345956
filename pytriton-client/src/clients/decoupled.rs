use std::sync::Arc;

use crate::{ClientError, InferOptions, IntoInputs, ModelConfig};

use super::answers::{AnswerStream, Answers};
use super::core::Rows;
use super::worker::Worker;
use super::{AsyncModelClient, Builder, ModelClient};

/// A client for a model that answers a request any number of times, over gRPC, for programs that run on tokio. Any number of
/// requests may be under way.
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
/// let mut answers = client.infer_sample(array![3]);
/// while let Some(outputs) = answers.try_next().await? {
///     println!("{}", outputs.view::<i32, Ix1>("OUTPUT_1")?);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct AsyncDecoupledModelClient(pub(super) AsyncModelClient);

/// The same, blocking: answers are an iterator.
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
    /// A client with PyTriton's defaults. It connects when it is first needed, and waits then until the model is ready.
    ///
    /// # Errors
    ///
    /// [`ClientError::InvalidUrl`], and [`ClientError::OnlyGrpc`] for an address of HTTP.
    pub fn new(url: &str, model: &str) -> Result<Self, ClientError> {
        Self::builder(url, model).build()
    }

    /// A client that is told more.
    pub fn builder(url: &str, model: &str) -> Builder<Self> {
        Builder::new(url, model)
    }

    /// As [`AsyncModelClient::from_existing`].
    pub fn from_existing(client: &Self) -> Self {
        Self(AsyncModelClient::from_existing(&client.0))
    }

    /// Answers to rows: axis 0 of each input is the batch. The request is sent when the stream is polled.
    ///
    /// An item is [`ClientError::Coupled`] where the model answers once, and otherwise as
    /// [`AsyncModelClient::infer_batch`] says.
    pub fn infer_batch(&self, inputs: impl IntoInputs) -> AnswerStream {
        self.infer_batch_with(inputs, InferOptions::new())
    }

    /// The same for a request that says more.
    pub fn infer_batch_with(&self, inputs: impl IntoInputs, options: InferOptions) -> AnswerStream {
        AnswerStream::new(
            Arc::clone(&self.0.0),
            inputs.into_inputs(),
            options,
            Rows::Batch,
        )
    }

    /// Answers to one row, without the batch axis in inputs and outputs. A model without one is asked as it is.
    pub fn infer_sample(&self, inputs: impl IntoInputs) -> AnswerStream {
        self.infer_sample_with(inputs, InferOptions::new())
    }

    /// The same for a request that says more.
    pub fn infer_sample_with(
        &self,
        inputs: impl IntoInputs,
        options: InferOptions,
    ) -> AnswerStream {
        AnswerStream::new(
            Arc::clone(&self.0.0),
            inputs.into_inputs(),
            options,
            Rows::Sample,
        )
    }

    /// As [`AsyncModelClient::model_config`].
    ///
    /// # Errors
    ///
    /// As [`AsyncModelClient::model_config`].
    pub async fn model_config(&self) -> Result<Arc<ModelConfig>, ClientError> {
        self.0.model_config().await
    }

    /// The same client for what is no inference: readiness, statistics, loading.
    pub fn client(&self) -> &AsyncModelClient {
        &self.0
    }

    /// As [`AsyncModelClient::close`]; streams that have begun go on.
    pub fn close(&self) {
        self.0.close();
    }
}

impl Builder<AsyncDecoupledModelClient> {
    /// A client that connects when it is first needed.
    ///
    /// # Errors
    ///
    /// As [`AsyncDecoupledModelClient::new`], [`ClientError::Tls`] for certificates that are none, and
    /// [`ClientError::Inputs`] for an access token that no header can have.
    pub fn build(self) -> Result<AsyncDecoupledModelClient, ClientError> {
        let addresses = self.addresses()?;
        let other = addresses.iter().find(|address| !address.scheme().is_grpc());
        match other {
            None => Ok(AsyncDecoupledModelClient(
                self.of::<AsyncModelClient>().build()?,
            )),
            Some(address) => Err(ClientError::OnlyGrpc {
                what: "asking for any number of answers",
                address: address.to_string(),
            }),
        }
    }

    /// A client that has found its model ready, and knows what the server says of it.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build) and [`AsyncDecoupledModelClient::model_config`].
    pub async fn connect(self) -> Result<AsyncDecoupledModelClient, ClientError> {
        let client = self.build()?;
        client.model_config().await?;
        Ok(client)
    }
}

impl DecoupledModelClient {
    /// As [`AsyncDecoupledModelClient::new`].
    ///
    /// # Errors
    ///
    /// As [`AsyncDecoupledModelClient::new`], and [`ClientError::Thread`] where there is no thread for it.
    pub fn new(url: &str, model: &str) -> Result<Self, ClientError> {
        Self::builder(url, model).build()
    }

    /// A client that is told more.
    pub fn builder(url: &str, model: &str) -> Builder<Self> {
        Builder::new(url, model)
    }

    /// Another client of the same server and model, as [`ModelClient::from_existing`](super::ModelClient::from_existing).
    ///
    /// # Errors
    ///
    /// [`ClientError::Thread`] where there is no thread for it.
    pub fn from_existing(client: &Self) -> Result<Self, ClientError> {
        let client = AsyncDecoupledModelClient::from_existing(&client.client);
        let worker = Worker::start()?;
        Ok(Self { client, worker })
    }

    /// As [`AsyncDecoupledModelClient::infer_batch`].
    pub fn infer_batch(&self, inputs: impl IntoInputs) -> Answers {
        self.infer_batch_with(inputs, InferOptions::new())
    }

    /// The same for a request that says more.
    pub fn infer_batch_with(&self, inputs: impl IntoInputs, options: InferOptions) -> Answers {
        Answers::new(
            self.client.infer_batch_with(inputs, options),
            Arc::clone(&self.worker),
        )
    }

    /// As [`AsyncDecoupledModelClient::infer_sample`].
    pub fn infer_sample(&self, inputs: impl IntoInputs) -> Answers {
        self.infer_sample_with(inputs, InferOptions::new())
    }

    /// The same for a request that says more.
    pub fn infer_sample_with(&self, inputs: impl IntoInputs, options: InferOptions) -> Answers {
        Answers::new(
            self.client.infer_sample_with(inputs, options),
            Arc::clone(&self.worker),
        )
    }

    /// As [`AsyncModelClient::model_config`].
    ///
    /// # Errors
    ///
    /// As [`AsyncModelClient::model_config`].
    pub fn model_config(&self) -> Result<Arc<ModelConfig>, ClientError> {
        let client = self.client.clone();
        self.worker
            .run(async move { client.model_config().await })?
    }

    /// The same client for what is no inference: readiness, statistics, loading.
    pub fn client(&self) -> ModelClient {
        ModelClient {
            client: self.client.0.clone(),
            worker: Arc::clone(&self.worker),
        }
    }

    /// As [`AsyncModelClient::close`]; what has begun goes on.
    pub fn close(&self) {
        self.client.close();
    }
}

impl Builder<DecoupledModelClient> {
    /// A client that connects when it is first needed.
    ///
    /// # Errors
    ///
    /// As [`DecoupledModelClient::new`] and `build` of an [`AsyncDecoupledModelClient`].
    pub fn build(self) -> Result<DecoupledModelClient, ClientError> {
        let client = self.of::<AsyncDecoupledModelClient>().build()?;
        let worker = Worker::start()?;
        Ok(DecoupledModelClient { client, worker })
    }

    /// A client that has found its model ready, and knows what the server says of it.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build) and [`DecoupledModelClient::model_config`].
    pub fn connect(self) -> Result<DecoupledModelClient, ClientError> {
        let client = self.build()?;
        client.model_config()?;
        Ok(client)
    }
}
