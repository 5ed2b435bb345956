use std::sync::Arc;

use futures_util::{TryFutureExt, future::BoxFuture};

use crate::clients::answers::AnswerStream;
use crate::clients::core::{Core, Rows};
use crate::clients::worker::Worker;
use crate::{ClientError, InferOptions, Inputs, Outputs};

use super::checked::Checked;

/// What a blocking client waits with.
#[derive(Debug, Clone)]
pub struct Waiting(pub(super) Arc<Worker>);

/// A request to a model whose signature has been, or is to be, checked.
#[derive(Debug)]
pub struct Question {
    pub(super) core: Arc<Core>,
    pub(super) checked: Arc<Checked>,
    pub(super) inputs: Result<Inputs, ClientError>,
    pub(super) options: InferOptions,
}

impl Question {
    /// The one answer.
    pub(super) fn one(self) -> BoxFuture<'static, Result<Outputs, ClientError>> {
        let rows = self.rows();
        Box::pin(async move {
            let inputs = self.inputs?;
            self.checked.check(&self.core).await?;
            self.core.infer(inputs, self.options, rows).await
        })
    }

    /// All answers.
    pub(super) fn many(self) -> AnswerStream {
        let rows = self.rows();
        AnswerStream::of(self.answering(rows).try_flatten_stream())
    }

    async fn answering(self, rows: Rows) -> Result<AnswerStream, ClientError> {
        let inputs = self.inputs?;
        self.checked.check(&self.core).await?;
        Ok(AnswerStream::new(self.core, Ok(inputs), self.options, rows))
    }

    /// A model without a batch axis takes what it is given as it is.
    fn rows(&self) -> Rows {
        match self.checked.signature.batching() {
            true => Rows::Batch,
            false => Rows::Sample,
        }
    }
}
