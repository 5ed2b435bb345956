use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::{StreamExt, unfold};
use pytriton_core::request::Identity;
use pytriton_core::response_channel::SchedulerError;
use pytriton_kserve::proto::Pieces;
use tonic::Status;
use tonic::metadata::MetadataMap;

use crate::service::{AppState, Error};

use super::call::{Call, DecodedRequest};
use super::messages::{Messages, NextMessage};
use super::stream_responses::StreamResponses;
use super::{GrpcError, GrpcResponse};

/// The metadata by which a client requests that a failed execution ends the stream with its status.
const STRICT: &str = "triton_grpc_error";

/// Serves a call with any number of messages, each with its responses. Dropping the response
/// cancels the requests in progress.
///
/// When the server stops, all received requests are completed. If the client could send more, the
/// stream then ends with an error status.
pub(super) fn stream(
    app_state: Arc<AppState>,
    (metadata, identity): (&MetadataMap, Identity),
    messages: Messages<Pieces>,
) -> GrpcResponse {
    let stopping = app_state.models.stopping().boxed();
    let strict = metadata.get(STRICT).is_some_and(|value| value == "true");
    let call = Arc::new(Call::new(app_state, metadata, identity, None));
    let reader = Reader {
        messages,
        stopping,
        call: Arc::clone(&call),
    };
    let requests = unfold(Some(reader), async |reader| {
        let mut reader = reader?;
        let asked = reader.next().await?;
        // Nothing is read after an error.
        let reader = asked.is_ok().then_some(reader);
        Some((asked, reader))
    });
    GrpcResponse::messages(StreamResponses::new(requests.boxed(), call, strict))
}

/// Reads the messages of a stream.
struct Reader {
    messages: Messages<Pieces>,
    stopping: BoxFuture<'static, ()>,
    call: Arc<Call>,
}

impl Reader {
    /// Returns the next message received before the server stops, or the final error if the client
    /// could send more.
    async fn next(&mut self) -> Option<Result<DecodedRequest, Status>> {
        match poll_fn(|context| self.poll_next(context)).await? {
            Ok(message) => {
                let read = self.call.read(message, self.messages.limit()).await;
                Some(read.map_err(Status::from))
            }
            Err(status) => Some(Err(status)),
        }
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<NextMessage<Pieces>> {
        if let Poll::Ready(message) = self.messages.poll_next(context) {
            return Poll::Ready(message);
        }
        ready!(self.stopping.poll_unpin(context));
        let error = Error::from(SchedulerError::Stopping);
        Poll::Ready(Some(Err(GrpcError::from(error).into())))
    }
}
