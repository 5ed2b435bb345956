use std::fmt;
use std::sync::Arc;

use pytriton_protocol::signature::ModelSignature;
use pytriton_protocol::typed::Model;

use crate::clients::Builder;
use crate::clients::worker::Worker;
use crate::{ClientError, InferOptions};

use super::question::Waiting;
use super::{Answering, AsyncTyped};

/// A client for a model that the compiler knows, which blocks: `Typed<linear>` for a function `linear` under
/// `#[pytriton::model]`. Clones are the same client, and may be used side by side.
///
/// `call` takes what the function takes, by reference or not, and gives what it returns, or an iterator where it returns any
/// number of answers.
///
/// - An array is given as any array of the same element type and number of dimensions: `&x`, `x`, `x.view()`.
/// - An `Option` is given as an array, `None`, or `Some(x.view())`.
/// - A value under `#[first_value]` is given once for all rows.
/// - Whatever is no input is left out.
pub struct Typed<M: Model, A = <M as Model>::Arguments> {
    pub(super) client: AsyncTyped<M, A>,
    pub(super) waiting: Waiting,
}

impl<M: Model<Answers: Answering<M>>> Typed<M> {
    /// As [`AsyncTyped::connect`].
    ///
    /// # Errors
    ///
    /// As [`AsyncTyped::connect`], and [`ClientError::Thread`] where there is no thread for it.
    pub fn connect(url: &str) -> Result<Self, ClientError> {
        Self::builder(url).connect()
    }

    /// A client that is told more.
    pub fn builder(url: &str) -> Builder<Self> {
        Builder::new(url, &M::signature().name)
    }
}

impl<M: Model, A> Typed<M, A> {
    /// The same client, all of whose requests say this.
    #[must_use]
    pub fn with(&self, options: InferOptions) -> Self {
        Self {
            client: self.client.with(options),
            waiting: self.waiting.clone(),
        }
    }

    /// What it was compiled for.
    pub fn signature(&self) -> &ModelSignature {
        self.client.signature()
    }
}

impl<M: Model<Answers: Answering<M>>> Builder<Typed<M>> {
    /// A client that connects, and compares the signatures, when it is first needed.
    ///
    /// # Errors
    ///
    /// As [`Typed::connect`].
    pub fn build(self) -> Result<Typed<M>, ClientError> {
        let client = M::Answers::client(self).map(AsyncTyped::new)?;
        let waiting = Waiting(Worker::start()?);
        Ok(Typed { client, waiting })
    }

    /// As [`Typed::connect`].
    ///
    /// # Errors
    ///
    /// As [`Typed::connect`].
    pub fn connect(self) -> Result<Typed<M>, ClientError> {
        let typed = self.build()?;
        let (checked, client) = (
            Arc::clone(&typed.client.checked),
            typed.client.untyped().clone(),
        );
        typed
            .waiting
            .0
            .run(async move { checked.check(&client.0).await })??;
        Ok(typed)
    }
}

impl<M: Model, A> Clone for Typed<M, A> {
    fn clone(&self) -> Self {
        Self {
            client: self.client.clone(),
            waiting: self.waiting.clone(),
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
