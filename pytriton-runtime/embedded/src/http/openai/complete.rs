use std::pin::pin;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::future::try_join_all;
use pytriton_core::memory_budget::MemoryBudget;
use pytriton_core::offload::by_weight;
use pytriton_core::tracked_buffer::TrackedBuffer;
use pytriton_kserve::json::JsonWriter;
use pytriton_kserve::openai::{Choice, CompleteText, FinishReason, OpenAiError, Usage};

use crate::service::Error;

use super::super::response::{HttpResponse, json};
use super::accepted::AcceptedRequest;
use super::pieces::Pieces;
use super::text_stream::text_stream;

/// Creates a complete response with all choices.
pub(super) async fn complete(taken: AcceptedRequest) -> Result<HttpResponse, OpenAiError> {
    let AcceptedRequest {
        format,
        budget,
        choices,
        ..
    } = taken;
    let choices = choices.into_iter();
    let choices = choices.map(|(pieces, choice)| gather(pieces, choice, &budget));
    let choices_and_usage = try_join_all(choices).await?;
    let mut usage = Some(Usage::default());
    let mut choices = Vec::with_capacity(choices_and_usage.len());
    for (choice, used) in choices_and_usage {
        usage = add(usage, used);
        choices.push(choice);
    }
    let weight = choices
        .iter()
        .map(|choice: &CompleteText| choice.text.as_slice().len())
        .sum();
    let permit = budget.empty_permit();
    let written = by_weight(weight, move || {
        let mut body = JsonWriter::reserving(permit, weight + HEAD_BYTES);
        format.complete(&mut body, &choices, usage);
        body.finish_reserved()
    });
    Ok(json(written.await.map_err(Error::from)?))
}

/// The approximate size of everything around the texts.
const HEAD_BYTES: usize = 256;

async fn gather(
    pieces: Pieces,
    choice: Choice,
    budget: &Arc<MemoryBudget>,
) -> Result<(CompleteText, Option<Usage>), OpenAiError> {
    let mut texts = pin!(text_stream(0, pieces, choice));
    let mut content = CompleteText {
        text: TrackedBuffer::new(budget.empty_permit()),
        reason: FinishReason::default(),
    };
    let mut usage = None;
    while let Some(text) = texts.next().await {
        let text = text?;
        let appended = content.text.extend_from_slice(text.text.as_bytes());
        appended.map_err(Error::from)?;
        if let Some((reason, used)) = text.end {
            content.reason = reason;
            usage = used;
        }
    }
    Ok((content, usage))
}

/// Adds usages. The result is `None` if any of them is unknown.
pub(super) fn add(sum: Option<Usage>, used: Option<Usage>) -> Option<Usage> {
    let mut sum = sum?;
    sum += used?;
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_omitted_unless_every_choice_reports_it() {
        let usage = |tokens| Usage::new(tokens, 2 * tokens);
        let table: [(&[Option<Usage>], Option<Usage>); 4] = [
            (&[Some(usage(1))], Some(usage(1))),
            (&[Some(usage(1)), Some(usage(2))], Some(usage(3))),
            (&[Some(usage(1)), None], None),
            (&[None, Some(usage(1))], None),
        ];
        for (texts, expected) in table {
            let sum = texts.iter().copied().fold(Some(Usage::default()), add);
            assert_eq!(sum, expected, "{texts:?}");
        }
    }
}
