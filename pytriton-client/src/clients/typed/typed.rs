use std::fmt;
use std::sync::Arc;

use pytriton_protocol::signature::ModelSignature;
use pytriton_protocol::typed::Model;

use crate::clients::Builder;
use crate::clients::worker::Worker;
use crate::{ClientError, InferOptions};

use super::typed_request::BlockingExecutor;
use super::{AsyncTyped, ResponseMode};

/// A blocking typed client: `Typed<Linear>` for a model with the option `client = Linear`.
/// Clones share the connections and can be used concurrently.
///
/// `call` takes the function's arguments, by value or by reference, and returns its result, or an
/// iterator for a streaming model.
///
/// - An array argument accepts any array of the same element type and rank: `&x`, `x`, `x.view()`.
/// - An `Option` accepts an array, `None`, or `Some(x.view())`.
/// - A value under `#[first_value]` is given once for all rows.
/// - Arguments that are not inputs are omitted.
pub struct Typed<M: Model, A = <M as Model>::Arguments> {
    pub(super) client: AsyncTyped<M, A>,
    pub(super) executor: BlockingExecutor,
}

impl<M: Model<Responses: ResponseMode<M>>> Typed<M> {
    /// See [`AsyncTyped::connect`].
    ///
    /// # Errors
    ///
    /// See [`AsyncTyped::connect`]. Also [`ClientError::Thread`] if its thread cannot be started.
    pub fn connect(url: &str) -> Result<Self, ClientError> {
        Self::builder(url).connect()
    }

    /// Returns a builder with further options.
    pub fn builder(url: &str) -> Builder<Self> {
        Builder::new(url, &M::signature().name)
    }
}

impl<M: Model, A> Typed<M, A> {
    /// Returns a client that sends these options with each request.
    #[must_use]
    pub fn with(&self, options: InferOptions) -> Self {
        Self {
            client: self.client.with(options),
            executor: self.executor.clone(),
        }
    }

    /// Returns the signature that this client was compiled for.
    pub fn signature(&self) -> &ModelSignature {
        self.client.signature()
    }
}

impl<M: Model<Responses: ResponseMode<M>>> Builder<Typed<M>> {
    /// Creates a client that connects and compares the signatures on first use.
    ///
    /// # Errors
    ///
    /// See [`Typed::connect`].
    pub fn build(self) -> Result<Typed<M>, ClientError> {
        let client = M::Responses::client(self).map(AsyncTyped::new)?;
        let executor = BlockingExecutor(Worker::start()?);
        Ok(Typed { client, executor })
    }

    /// Same as [`Typed::connect`].
    ///
    /// # Errors
    ///
    /// Same as [`Typed::connect`].
    pub fn connect(self) -> Result<Typed<M>, ClientError> {
        let typed = self.build()?;
        let (signature_check, client) = (
            Arc::clone(&typed.client.signature_check),
            typed.client.untyped().clone(),
        );
        typed
            .executor
            .0
            .run(async move { signature_check.check(&client.0).await })??;
        Ok(typed)
    }
}

impl<M: Model, A> Clone for Typed<M, A> {
    fn clone(&self) -> Self {
        Self {
            client: self.client.clone(),
            executor: self.executor.clone(),
        }
    }
}

impl<M: Model, A> fmt::Debug for Typed<M, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Typed")
            .field("client", &self.client)
            .finish_non_exhaustive()
    }
}
