use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use pytriton_protocol::signature::ModelSignature;
use pytriton_protocol::tensor::{Tensor, TensorError};
use pytriton_protocol::typed::Model;

use crate::clients::{AsyncModelClient, Builder};
use crate::{ClientError, InferOptions};

use super::ResponseMode;
use super::signature_check::SignatureCheck;
use super::typed_request::TypedRequest;

/// A typed client for tokio programs: `AsyncTyped<Linear>` for a model with the option
/// `client = Linear`. Clones share the connections.
///
/// `call` takes the function's arguments, by value or by reference, and returns a future with its
/// result, or a stream for a streaming model.
pub struct AsyncTyped<M: Model, A = <M as Model>::Arguments> {
    client: AsyncModelClient,
    pub(super) signature_check: Arc<SignatureCheck>,
    pub(super) options: InferOptions,
    types: PhantomData<fn() -> (M, A)>,
}

impl<M: Model<Responses: ResponseMode<M>>> AsyncTyped<M> {
    /// Connects to a server whose model is ready and has the expected signature.
    ///
    /// # Errors
    ///
    /// Returns [`ClientError::Signature`] if the model has another signature,
    /// [`ClientError::OnlyGrpc`] for an HTTP address of a streaming model, and the errors of
    /// [`AsyncModelClient::model_config`] and [`AsyncModelClient::new`].
    pub async fn connect(url: &str) -> Result<Self, ClientError> {
        Self::builder(url).connect().await
    }

    /// Returns a builder with further options.
    pub fn builder(url: &str) -> Builder<Self> {
        Builder::new(url, &M::signature().name)
    }
}

impl<M: Model, A> AsyncTyped<M, A> {
    pub(super) fn new(client: AsyncModelClient) -> Self {
        Self {
            client,
            signature_check: Arc::new(SignatureCheck::new(M::signature())),
            options: InferOptions::new(),
            types: PhantomData,
        }
    }

    /// Returns a client that sends these options with each request.
    #[must_use]
    pub fn with(&self, options: InferOptions) -> Self {
        Self {
            options,
            ..self.clone()
        }
    }

    /// Returns the signature that this client was compiled for.
    pub fn signature(&self) -> &ModelSignature {
        &self.signature_check.signature
    }

    /// Returns the underlying untyped client, for all other requests.
    pub fn untyped(&self) -> &AsyncModelClient {
        &self.client
    }

    pub(super) async fn check(&self) -> Result<(), ClientError> {
        self.signature_check.check(&self.client.0).await
    }

    /// Builds a request from one value per input, in order.
    pub(super) fn request<const N: usize>(
        &self,
        given: [Result<Option<Tensor>, TensorError>; N],
    ) -> TypedRequest {
        let named = given
            .into_iter()
            .zip(&self.signature_check.signature.inputs);
        let tensors = named.map(|(tensor, input)| tensor.map_err(ClientError::tensor(&input.name)));
        let tensors: Result<Vec<_>, _> = tensors.collect();
        TypedRequest {
            core: Arc::clone(&self.client.0),
            signature_check: Arc::clone(&self.signature_check),
            inputs: tensors.and_then(|tensors| self.signature_check.inputs(&tensors)),
            options: self.options.clone(),
        }
    }
}

impl<M: Model<Responses: ResponseMode<M>>> Builder<AsyncTyped<M>> {
    /// Creates a client that connects and compares the signatures on first use.
    ///
    /// # Errors
    ///
    /// See `build` of an [`AsyncModelClient`].
    pub fn build(self) -> Result<AsyncTyped<M>, ClientError> {
        M::Responses::client(self).map(AsyncTyped::new)
    }

    /// Same as [`AsyncTyped::connect`].
    ///
    /// # Errors
    ///
    /// Same as [`AsyncTyped::connect`].
    pub async fn connect(self) -> Result<AsyncTyped<M>, ClientError> {
        let client = self.build()?;
        client.check().await?;
        Ok(client)
    }
}

impl<M: Model, A> Clone for AsyncTyped<M, A> {
    fn clone(&self) -> Self {
        Self {
            client: self.client.clone(),
            signature_check: Arc::clone(&self.signature_check),
            options: self.options.clone(),
            types: PhantomData,
        }
    }
}

impl<M: Model, A> fmt::Debug for AsyncTyped<M, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncTyped")
            .field("client", &self.client)
            .finish_non_exhaustive()
    }
}
