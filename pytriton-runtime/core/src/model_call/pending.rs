use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pytriton_protocol::typed::Returned;

use crate::call::block_on;
use crate::error::{CallError, Error};
use crate::request::Response;

use super::call_record::CallRecord;
use super::result_reader::ResultReader;
use super::unsent_call::{QueuedCall, UnsentCall};

/// The result of a call: a future. Dropping it cancels the request.
#[must_use = "the request is sent when this is polled"]
pub struct PendingCall<O> {
    response: BoxFuture<'static, Result<Completed, CallError>>,
    read: fn(&ResultReader, &Response) -> Result<O, Error>,
}

/// A response, before it is read.
struct Completed {
    response: Response,
    record: CallRecord,
    reader: ResultReader,
}

impl<O> PendingCall<O> {
    pub(super) fn new<R: Returned<Typed = O>>(call: UnsentCall) -> Self {
        Self {
            response: execute(call).boxed(),
            read: ResultReader::read::<R>,
        }
    }

    /// Blocks the thread until the result is available, for functions that are not `async`. Must
    /// not be used on a thread of an async runtime.
    ///
    /// # Errors
    ///
    /// Returns a [`CallError`] if the request was refused or failed.
    pub fn wait(self) -> Result<O, CallError> {
        block_on(self)
    }
}

async fn execute(call: UnsentCall) -> Result<Completed, CallError> {
    let QueuedCall {
        model,
        request,
        mut record,
        reader,
    } = call.queued()?;
    let mut response = model.infer(request);
    let response = poll_fn(|context| match response.poll_unpin(context) {
        Poll::Ready(response) => Poll::Ready(response.map_err(|error| record.failed(error))),
        Poll::Pending => record.poll_cancelled(context).map(Err),
    });
    Ok(Completed {
        response: response.await?,
        record,
        reader,
    })
}

impl<O> Future for PendingCall<O> {
    type Output = Result<O, CallError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Completed {
            response,
            mut record,
            reader,
        } = ready!(self.response.poll_unpin(context))?;
        let result = (self.read)(&reader, &response);
        Poll::Ready(match result {
            Ok(result) => {
                record.succeed();
                Ok(result)
            }
            Err(error) => Err(record.failed(error)),
        })
    }
}

impl<O> fmt::Debug for PendingCall<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingCall").finish_non_exhaustive()
    }
}
