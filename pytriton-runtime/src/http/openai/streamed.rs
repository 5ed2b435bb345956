use std::sync::Arc;

use axum::http::StatusCode;
use futures_util::StreamExt;
use futures_util::stream::{BoxStream, SelectAll, select_all, unfold};
use tokio::time::timeout;

use crate::heavy::by_weight;
use crate::memory_budget::MemoryBudget;
use crate::openai::{Format, OpenAiError, Usage};
use crate::reception::Error;
use crate::tracked_bytes::TrackedBytes;

use super::super::answer::{Answer, events};
use super::super::events::{Events, KEEP_ALIVE, SILENCE, event};
use super::ask::Taken;
use super::gathered::add;
use super::texts::{Text, texts};

/// Behind it nothing comes.
const DONE: &[u8] = b"data: [DONE]\n\n";

/// Answers with an event for each part of a text.
///
/// Where the first of them takes long the answer begins without it; an error in its place is an answer by itself.
pub(super) async fn streamed(taken: Taken) -> Result<Answer, OpenAiError> {
    let mut streaming = Streaming::new(taken);
    let first = match timeout(SILENCE, streaming.texts.next()).await {
        Err(_) => KEEP_ALIVE,
        Ok(first) => streaming.written(first.transpose()?).await?,
    };
    let others = unfold(streaming, async |mut streaming| {
        let next = streaming.next().await?;
        Some((next, streaming))
    });
    Ok(events(StatusCode::OK, Events::new(first, others)))
}

/// An answer that leaves piece by piece.
struct Streaming {
    texts: SelectAll<BoxStream<'static, Result<Text, OpenAiError>>>,
    format: Arc<Format>,
    budget: Arc<MemoryBudget>,
    /// Of the texts that have ended; `None` where one of them does not say.
    usage: Option<Usage>,
    begun: bool,
    over: bool,
}

impl Streaming {
    fn new(taken: Taken) -> Self {
        let choices = taken.choices.into_iter().enumerate();
        let choices = choices.map(|(index, (pieces, choice))| texts(index, pieces, choice).boxed());
        Self {
            texts: select_all(choices),
            format: Arc::new(taken.format),
            budget: taken.budget,
            usage: Some(Usage::default()),
            begun: false,
            over: false,
        }
    }

    /// What comes next, which may be nothing but a sign of life.
    async fn next(&mut self) -> Option<TrackedBytes> {
        if self.over {
            return None;
        }
        let next = match timeout(SILENCE, self.texts.next()).await {
            Err(_) => return Some(KEEP_ALIVE),
            Ok(next) => next.transpose(),
        };
        let written = match next {
            Ok(next) => self.written(next).await,
            Err(error) => Err(error),
        };
        Some(written.unwrap_or_else(|error| {
            // Without the end that clients wait for, and without the texts that are left.
            self.over = true;
            self.texts.clear();
            TrackedBytes::of_server(event(error.to_json()))
        }))
    }

    /// The events of a part of a text, or of the end of all.
    async fn written(&mut self, text: Option<Text>) -> Result<TrackedBytes, OpenAiError> {
        let Some(text) = text else {
            self.over = true;
            let used = self.format.used(self.usage).map(event);
            let mut last = used.unwrap_or_default();
            last.extend_from_slice(DONE);
            return Ok(TrackedBytes::of_server(last));
        };
        if let Some((_, used)) = text.end {
            self.usage = add(self.usage, used);
        }
        let begins = !std::mem::replace(&mut self.begun, true);
        let format = Arc::clone(&self.format);
        let written = by_weight(text.text.len(), move || write(&format, &text, begins)).await;
        let permit = self.budget.permit(written.len()).map_err(Error::from)?;
        Ok(TrackedBytes::new(written.into(), permit))
    }
}

fn write(format: &Format, text: &Text, begins: bool) -> Vec<u8> {
    let begin = begins.then(|| format.begin(text.choice)).flatten();
    let piece = (!text.text.is_empty()).then(|| format.piece(text.choice, &text.text));
    let end = text.end.map(|(reason, _)| format.end(text.choice, reason));
    let events = [begin, piece, end].into_iter().flatten();
    events.flat_map(event).collect()
}
