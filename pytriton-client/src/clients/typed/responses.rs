use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::{Stream, StreamExt};
use pytriton_protocol::typed::{Model, Returned};

use crate::ClientError;
use crate::clients::responses::{ResponseIter, ResponseStream};

use super::signature_check::SignatureCheck;

/// A stream of a model's typed responses. The inference timeout applies to each response. The
/// stream ends after an error. Dropping it cancels the request.
pub struct TypedResponseStream<M> {
    /// `None` after the last response.
    pub(super) responses: Option<ResponseStream>,
    pub(super) signature_check: Arc<SignatureCheck>,
    pub(super) model: PhantomData<fn() -> M>,
}

/// An iterator of a model's typed responses, for blocking clients.
pub struct TypedResponseIter<M> {
    /// `None` after the last response.
    pub(super) responses: Option<ResponseIter>,
    pub(super) signature_check: Arc<SignatureCheck>,
    pub(super) model: PhantomData<fn() -> M>,
}

impl<M: Model<Outputs: Returned>> Stream for TypedResponseStream<M> {
    type Item = Result<<M::Outputs as Returned>::Typed, ClientError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(responses) = &mut self.responses else {
            return Poll::Ready(None);
        };
        let response = ready!(responses.poll_next_unpin(context));
        let read = response
            .map(|response| response.and_then(|outputs| self.signature_check.read::<M>(&outputs)));
        if !matches!(read, Some(Ok(_))) {
            self.responses = None;
        }
        Poll::Ready(read)
    }
}

impl<M: Model<Outputs: Returned>> Iterator for TypedResponseIter<M> {
    type Item = Result<<M::Outputs as Returned>::Typed, ClientError>;

    fn next(&mut self) -> Option<Self::Item> {
        let response = self.responses.as_mut()?.next();
        let read = response
            .map(|response| response.and_then(|outputs| self.signature_check.read::<M>(&outputs)));
        if !matches!(read, Some(Ok(_))) {
            self.responses = None;
        }
        read
    }
}

impl<M> fmt::Debug for TypedResponseStream<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedResponseStream")
            .finish_non_exhaustive()
    }
}

impl<M> fmt::Debug for TypedResponseIter<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedResponseIter").finish_non_exhaustive()
    }
}
