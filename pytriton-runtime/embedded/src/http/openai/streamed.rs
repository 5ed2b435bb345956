use std::sync::Arc;

use axum::http::StatusCode;
use futures_util::StreamExt;
use futures_util::stream::{BoxStream, SelectAll, select_all, unfold};
use pytriton_core::memory_budget::{MemoryBudget, MemoryBudgetError, MemoryPermit};
use pytriton_core::offload::by_weight;
use pytriton_core::tracked_bytes::TrackedBytes;
use pytriton_kserve::json::JsonWriter;
use pytriton_kserve::openai::{Format, OpenAiError, Usage};

use crate::service::Error;

use super::super::events::{EVENT, Events, event, first_event};
use super::super::response::{HttpResponse, events};
use super::accepted::AcceptedRequest;
use super::complete::add;
use super::text_stream::{Text, text_stream};

/// The last event.
const DONE: &[u8] = b"data: [DONE]\n\n";

/// Creates a response with an event for each piece of text.
///
/// If the first piece takes long, the response begins without it. If the first result is an error,
/// it determines the status.
pub(super) async fn streamed(taken: AcceptedRequest) -> Result<HttpResponse, OpenAiError> {
    let mut streaming = Streaming::new(taken);
    let first = match first_event(streaming.texts.next()).await {
        None => None,
        Some(first) => Some(streaming.written(first.transpose()?).await?),
    };
    let others = unfold(streaming, async |mut streaming| {
        let next = streaming.next().await?;
        Some((next, streaming))
    });
    Ok(events(StatusCode::OK, Events::new(first, others)))
}

/// A streamed response.
struct Streaming {
    texts: SelectAll<BoxStream<'static, Result<Text, OpenAiError>>>,
    format: Arc<Format>,
    budget: Arc<MemoryBudget>,
    /// The usage of the choices that have ended; `None` if any of them is unknown.
    usage: Option<Usage>,
    begun: bool,
    over: bool,
}

impl Streaming {
    fn new(taken: AcceptedRequest) -> Self {
        let choices = taken.choices.into_iter().enumerate();
        let choices =
            choices.map(|(index, (pieces, choice))| text_stream(index, pieces, choice).boxed());
        Self {
            texts: select_all(choices),
            format: Arc::new(taken.format),
            budget: taken.budget,
            usage: Some(Usage::default()),
            begun: false,
            over: false,
        }
    }

    /// Returns the next events.
    async fn next(&mut self) -> Option<TrackedBytes> {
        if self.over {
            return None;
        }
        let written = match self.texts.next().await.transpose() {
            Ok(next) => self.written(next).await,
            Err(error) => Err(error),
        };
        Some(written.unwrap_or_else(|error| {
            // The remaining choices are dropped, and the final event that clients expect is not
            // sent.
            self.over = true;
            self.texts.clear();
            TrackedBytes::short(&event(error.to_json()))
        }))
    }

    /// Encodes a piece of text, or the end of the response.
    async fn written(&mut self, text: Option<Text>) -> Result<TrackedBytes, OpenAiError> {
        let Some(text) = text else {
            self.over = true;
            let mut last = JsonWriter::reserving(self.budget.empty_permit(), 0);
            if self.format.includes_usage() {
                put(&mut last, |json| self.format.used(json, self.usage));
            }
            last.raw(DONE);
            return Ok(last.finish_reserved().map_err(Error::from)?);
        };
        if let Some((_, used)) = text.end {
            self.usage = add(self.usage, used);
        }
        let begins = !std::mem::replace(&mut self.begun, true);
        let (format, weight) = (Arc::clone(&self.format), text.text.len());
        let permit = self.budget.empty_permit();
        let write = move || write(&format, &text, begins, permit);
        let written = by_weight(weight, write).await;
        Ok(written.map_err(Error::from)?)
    }
}

fn write(
    format: &Format,
    text: &Text,
    begins: bool,
    permit: MemoryPermit,
) -> Result<TrackedBytes, MemoryBudgetError> {
    let mut events = JsonWriter::reserving(permit, text.text.len() + EVENT_BYTES);
    if begins && format.begins() {
        put(&mut events, |json| format.begin(json, text.choice));
    }
    if !text.text.is_empty() {
        put(&mut events, |json| {
            format.piece(json, text.choice, &text.text)
        });
    }
    if let Some((reason, _)) = text.end {
        put(&mut events, |json| format.end(json, text.choice, reason));
    }
    events.finish_reserved()
}

/// The approximate size of an event without its text.
const EVENT_BYTES: usize = 256;

/// Appends an event.
fn put(events: &mut JsonWriter, write: impl FnOnce(&mut JsonWriter)) {
    let [before, behind] = EVENT;
    events.raw(before);
    write(events);
    events.raw(behind);
}
