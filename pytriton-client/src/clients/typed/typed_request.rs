use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::stream::iter;
use futures_util::{StreamExt, TryFutureExt, TryStreamExt};

use crate::clients::core::{Core, Rows};
use crate::clients::responses::ResponseStream;
use crate::clients::worker::Worker;
use crate::{ClientError, InferOptions, Inputs, Outputs};

use super::signature_check::SignatureCheck;

/// The executor of a blocking client.
#[derive(Debug, Clone)]
pub struct BlockingExecutor(pub(super) Arc<Worker>);

/// A request to a model whose signature is checked before it is sent.
#[derive(Debug)]
pub struct TypedRequest {
    pub(super) core: Arc<Core>,
    pub(super) signature_check: Arc<SignatureCheck>,
    pub(super) inputs: Result<Inputs, ClientError>,
    pub(super) options: InferOptions,
}

impl TypedRequest {
    /// Sends the request and returns its single response.
    pub(super) fn one(self) -> BoxFuture<'static, Result<Outputs, ClientError>> {
        let rows = self.rows();
        Box::pin(async move {
            let inputs = self.inputs?;
            let first = self
                .signature_check
                .first(&self.core, self.options.timeout)
                .await?;
            let asked = self.core.infer(inputs, self.options, rows);
            match first {
                Some(deadline) => deadline.within(asked).await,
                None => asked.await,
            }
        })
    }

    /// Sends the request and returns the stream of responses.
    pub(super) fn many(self) -> ResponseStream {
        let rows = self.rows();
        ResponseStream::of(self.responding(rows).try_flatten_stream())
    }

    async fn responding(self, rows: Rows) -> Result<ResponseStream, ClientError> {
        let inputs = self.inputs?;
        let first = self
            .signature_check
            .first(&self.core, self.options.timeout)
            .await?;
        let mut responses = ResponseStream::new(self.core, Ok(inputs), self.options, rows);
        let Some(deadline) = first else {
            return Ok(responses);
        };
        let first = deadline.within(responses.try_next()).await?;
        Ok(ResponseStream::of(iter(first.map(Ok)).chain(responses)))
    }

    /// Returns how to send the inputs. Those of a model without a batch axis are sent unchanged.
    fn rows(&self) -> Rows {
        match self.signature_check.signature.batching() {
            true => Rows::Batch,
            false => Rows::Sample,
        }
    }
}
