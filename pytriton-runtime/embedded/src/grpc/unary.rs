use prost::Message;
use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::offload::by_weight;
use pytriton_kserve::proto::BoundedMessage;
use tonic::Status;

use super::GrpcError;
use super::framed::{Framed, framed};
use super::message::Buffer;
use super::messages::Messages;

/// A call with one request, other than an inference.
#[derive(Debug)]
pub(super) struct Unary(Messages<Buffer>);

impl Unary {
    pub(super) fn new(messages: Messages<Buffer>) -> Self {
        Self(messages)
    }

    /// Receives and decodes the request. Long work runs on another thread. The permit covers the
    /// request.
    pub(super) async fn request<M>(self) -> Result<(M, MemoryPermit), Status>
    where
        M: BoundedMessage + 'static,
    {
        let Self(mut messages) = self;
        let limit = messages.limit();
        let (message, mut permit) = messages.first().await?;
        let weight = message.weight(limit);
        let decode = move || {
            let request = message.decode(limit, &mut permit)?;
            Ok::<_, GrpcError>((request, permit))
        };
        let decoded = by_weight(weight, decode).await?;
        messages.end().await?;
        Ok(decoded)
    }

    /// Receives the request and encodes the response to it.
    pub(super) async fn respond<M, R>(
        self,
        respond: impl FnOnce(&M) -> Result<R, GrpcError>,
    ) -> Result<Framed, Status>
    where
        M: BoundedMessage + 'static,
        R: Message,
    {
        let (request, permit) = self.request().await?;
        framed(&respond(&request)?, permit.sibling())
    }
}
