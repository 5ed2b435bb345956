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
