use super::stops::Stops;
use super::{FinishReason, Piece, Usage};

/// One of the texts of an answer, as it comes.
#[derive(Debug)]
pub(crate) struct Choice {
    stops: Stops,
    reason: Option<FinishReason>,
    /// What it has taken, where the function says so.
    pub(crate) usage: Option<Usage>,
}

impl Choice {
    /// One that is cut at these texts.
    pub(crate) fn new(stops: Vec<String>) -> Self {
        Self {
            stops: Stops::new(stops),
            reason: None,
            usage: None,
        }
    }

    /// What goes out of the next piece, and whether nothing may behind it.
    pub(crate) fn hear(&mut self, piece: Piece) -> (String, bool) {
        self.reason = piece.finish_reason.or(self.reason);
        self.usage = piece.usage.or(self.usage);
        let (text, cut) = self.stops.cut(piece.text);
        if cut {
            self.reason = Some(FinishReason::Stop);
        }
        (text, cut)
    }

    /// What has been held back of a text that has ended.
    pub(crate) fn rest(&mut self) -> String {
        self.stops.rest()
    }

    /// Why it has ended.
    pub(crate) fn reason(&self) -> FinishReason {
        self.reason.unwrap_or_default()
    }
}
