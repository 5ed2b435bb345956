use super::stops::Stops;
use super::{FinishReason, Piece, Usage};

/// One of the texts of a response, while it is generated.
#[derive(Debug)]
pub(crate) struct Choice {
    stops: Stops,
    reason: Option<FinishReason>,
    /// The token usage, if the function reports it.
    pub(crate) usage: Option<Usage>,
}

impl Choice {
    /// A text that ends at these stop sequences.
    pub(crate) fn new(stops: Vec<String>) -> Self {
        Self {
            stops: Stops::new(stops),
            reason: None,
            usage: None,
        }
    }

    /// The part of the next piece to send, and whether the text ends there.
    pub(crate) fn hear(&mut self, piece: Piece) -> (String, bool) {
        self.reason = piece.finish_reason.or(self.reason);
        self.usage = piece.usage.or(self.usage);
        let (text, cut) = self.stops.cut(piece.text);
        if cut {
            self.reason = Some(FinishReason::Stop);
        }
        (text, cut)
    }

    /// The held-back part of a text that has ended.
    pub(crate) fn rest(&mut self) -> String {
        self.stops.rest()
    }

    /// The finish reason.
    pub(crate) fn reason(&self) -> FinishReason {
        self.reason.unwrap_or_default()
    }
}
