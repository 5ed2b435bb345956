use super::stops::Stops;
use super::{FinishReason, Piece, Usage};

/// One of the generated texts of a response, built from pieces.
#[derive(Debug)]
pub struct Choice {
    stops: Stops,
    reason: Option<FinishReason>,
    /// The token usage, if the function reports it.
    pub usage: Option<Usage>,
}

impl Choice {
    /// Creates a choice that ends at one of the stop sequences.
    pub fn new(stops: Vec<String>) -> Self {
        Self {
            stops: Stops::new(stops),
            reason: None,
            usage: None,
        }
    }

    /// Adds a piece. Returns the text to send, and whether the choice has ended.
    pub fn push(&mut self, piece: Piece) -> (String, bool) {
        self.reason = piece.finish_reason.or(self.reason);
        self.usage = piece.usage.or(self.usage);
        let (text, cut) = self.stops.cut(piece.text);
        if cut {
            self.reason = Some(FinishReason::Stop);
        }
        (text, cut)
    }

    /// Returns the text that has been held back, after the last piece.
    pub fn rest(&mut self) -> String {
        self.stops.rest()
    }

    /// Returns why the choice has ended.
    pub fn reason(&self) -> FinishReason {
        self.reason.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_ends_at_a_stop_sequence_or_with_its_last_piece() {
        let usage = Usage {
            prompt_tokens: 3,
            completion_tokens: 1,
        };
        let ended = Piece::from("c").finished(FinishReason::Length).used(usage);
        // Pieces, with the text that is sent and whether the choice ends; then the rest, the
        // reason and the usage.
        let table = [
            (
                vec![
                    (Piece::from("a"), "a", false),
                    (Piece::from("b"), "b", false),
                ],
                ("", FinishReason::Stop, None),
            ),
            (
                vec![(ended.clone(), "c", false), (Piece::from("d"), "d", false)],
                ("", FinishReason::Length, Some(usage)),
            ),
            (
                vec![(Piece::from("aE"), "a", false)],
                ("E", FinishReason::Stop, None),
            ),
            (
                vec![
                    (Piece::from("aE"), "a", false),
                    (Piece::from("Nb"), "", true),
                ],
                ("", FinishReason::Stop, None),
            ),
            (
                vec![(ended, "c", false), (Piece::from("dENe"), "d", true)],
                ("", FinishReason::Stop, Some(usage)),
            ),
        ];
        for (pieces, (rest, reason, usage)) in table {
            let mut choice = Choice::new(vec!["EN".to_owned()]);
            for (piece, text, ends) in pieces {
                assert_eq!(choice.push(piece), (text.to_owned(), ends));
            }
            assert_eq!(choice.rest(), rest);
            assert_eq!((choice.reason(), choice.usage), (reason, usage));
        }
    }
}
