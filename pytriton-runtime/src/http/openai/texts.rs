use futures_util::Stream;
use futures_util::stream::unfold;

use crate::heavy::by_weight;
use crate::openai::{Choice, FinishReason, OpenAiError, Usage};

use super::pieces::Pieces;

/// What comes next of one of the texts of an answer.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) choice: usize,
    pub(super) text: String,
    /// Where it ends here, why, and what it has taken.
    pub(super) end: Option<(FinishReason, Option<Usage>)>,
}

/// The parts of a text, as much of each as may go out; an error is the last.
pub(super) fn texts(
    index: usize,
    pieces: Pieces,
    choice: Choice,
) -> impl Stream<Item = Result<Text, OpenAiError>> + Send {
    unfold(Some((pieces, choice)), move |state| async move {
        let (mut pieces, mut choice) = state?;
        loop {
            let piece = match pieces.next().await {
                Some(Ok(piece)) => piece,
                Some(Err(error)) => return Some((Err(error), None)),
                None => {
                    let rest = choice.rest();
                    return Some((Ok(Text::last(index, rest, &choice)), None));
                }
            };
            let (text, cut);
            (choice, (text, cut)) = by_weight(piece.text.len(), move || {
                let heard = choice.hear(piece);
                (choice, heard)
            })
            .await;
            if cut {
                // The pieces are dropped, which ends the function.
                return Some((Ok(Text::last(index, text, &choice)), None));
            }
            if !text.is_empty() {
                let text = Text {
                    choice: index,
                    text,
                    end: None,
                };
                return Some((Ok(text), Some((pieces, choice))));
            }
        }
    })
}

impl Text {
    fn last(index: usize, text: String, choice: &Choice) -> Self {
        Self {
            choice: index,
            text,
            end: Some((choice.reason(), choice.usage)),
        }
    }
}
