use crate::protocol::{ProtocolError, ResponseMessage};

/// The state of the responses to a request that can have any number of them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StreamState {
    responses: u32,
    over: bool,
}

impl StreamState {
    /// Returns whether the responses have ended.
    pub(super) fn is_over(self) -> bool {
        self.over
    }

    /// Ends the responses.
    pub(super) fn end(&mut self) {
        self.over = true;
    }

    /// Records the next response.
    ///
    /// # Errors
    ///
    /// Returns [`ProtocolError::Number`] if its number is not the next one.
    pub(super) fn record(&mut self, response: &ResponseMessage) -> Result<(), ProtocolError> {
        if self.over || response.sequence != self.responses {
            return Err(ProtocolError::Number);
        }
        self.responses = self.responses.wrapping_add(1);
        self.over = response.last;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Region;

    #[test]
    fn responses_arrive_in_order_and_end_with_the_last() {
        let table: [(&[(u32, bool)], bool); 5] = [
            (&[(0, false), (1, false), (2, true)], true),
            (&[(0, true)], true),
            (&[(0, false), (0, true)], false),
            (&[(1, false)], false),
            (&[(0, true), (1, true)], false),
        ];
        for (messages, right) in table {
            let mut state = StreamState::default();
            let recorded: Result<(), _> = messages.iter().try_for_each(|&(sequence, last)| {
                state.record(&ResponseMessage {
                    batch: 0,
                    request: 0,
                    sequence,
                    last,
                    description: Region::default(),
                    data: (0, 0),
                    begun: 0,
                })
            });
            assert_eq!(recorded.is_ok(), right, "{messages:?}");
            assert!(!right || state.is_over(), "{messages:?}");
        }
    }
}
