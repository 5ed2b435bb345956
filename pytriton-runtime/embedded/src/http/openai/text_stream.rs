use futures_util::Stream;
use futures_util::stream::unfold;
use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::offload::by_weight;
use pytriton_kserve::openai::{Choice, FinishReason, OpenAiError, Usage};

use super::pieces::Pieces;

/// The next part of one choice.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) choice: usize,
    pub(super) text: String,
    /// Covers the text.
    _permit: MemoryPermit,
    /// The finish reason and the usage, if the choice ends here.
    pub(super) end: Option<(FinishReason, Option<Usage>)>,
}

/// Converts pieces to the parts of a choice that may be sent. An error is the last item.
pub(super) fn text_stream(
    index: usize,
    pieces: Pieces,
    choice: Choice,
) -> impl Stream<Item = Result<Text, OpenAiError>> + Send {
    unfold(Some((pieces, choice)), move |state| async move {
        let (mut pieces, mut choice) = state?;
        loop {
            let (piece, permit) = match pieces.next().await {
                Some(Ok(reserved)) => reserved,
                Some(Err(error)) => return Some((Err(error), None)),
                None => {
                    let rest = choice.rest();
                    let text = pieces.reserve(rest.len());
                    let text = text.map(|permit| Text::last(index, rest, permit, &choice));
                    return Some((text, None));
                }
            };
            let (text, cut);
            (choice, (text, cut)) = by_weight(piece.text.len(), move || {
                let pushed = choice.push(piece);
                (choice, pushed)
            })
            .await;
            if cut {
                // Returning drops the pieces, which ends the function.
                return Some((Ok(Text::last(index, text, permit, &choice)), None));
            }
            if !text.is_empty() {
                let text = Text {
                    choice: index,
                    text,
                    _permit: permit,
                    end: None,
                };
                return Some((Ok(text), Some((pieces, choice))));
            }
        }
    })
}

impl Text {
    fn last(index: usize, text: String, permit: MemoryPermit, choice: &Choice) -> Self {
        Self {
            choice: index,
            text,
            _permit: permit,
            end: Some((choice.reason(), choice.usage)),
        }
    }
}
