use std::future::pending;
use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use crate::statistics::FailureReason;

use super::SchedulerError;
use super::message::{Outcome, Ticket};
use super::queue::{Entered, Queue};
use super::sink::Answers;

/// The answers to one request, as they come. Dropping it gives the request up: it leaves the queue, or its function hears
/// that nobody waits.
#[derive(Debug)]
pub struct Hearing {
    answers: Answers,
    queue: Arc<Queue>,
    ticket: Ticket,
    /// When it is to be refused if it still waits.
    refused: Option<Instant>,
    given_up: watch::Receiver<bool>,
    over: bool,
}

impl Hearing {
    pub(super) fn new(
        queue: &Arc<Queue>,
        entered: Entered,
        given_up: watch::Receiver<bool>,
    ) -> Self {
        Self {
            answers: entered.answers,
            queue: Arc::clone(queue),
            ticket: entered.ticket,
            refused: entered.refused,
            given_up,
            over: false,
        }
    }

    /// The next answer; `None` behind the last one.
    ///
    /// # Cancel safety
    ///
    /// No answer is lost when the future is dropped.
    pub async fn next(&mut self) -> Option<Outcome> {
        if self.over {
            return None;
        }
        let outcome = self.heard().await;
        self.over |= outcome.is_none();
        outcome
    }

    /// Whether nothing comes behind what has come.
    pub fn is_over(&self) -> bool {
        self.over || self.answers.are_over()
    }

    async fn heard(&mut self) -> Option<Outcome> {
        loop {
            let late = until(self.refused);
            let heard = tokio::select! {
                biased;
                Ok(_) = self.given_up.wait_for(|given_up| *given_up) => Heard::End,
                outcome = self.answers.next() => Heard::Answer(outcome),
                () = late => Heard::Late,
            };
            match heard {
                Heard::Answer(None) if !self.answers.are_finished() => {}
                Heard::Answer(outcome) => return outcome,
                Heard::End => {}
                Heard::Late => {
                    self.refused = None;
                    let reason = FailureReason::Rejected;
                    match self.queue.withdraw(self.ticket, reason) {
                        Some(_) => return self.ended(SchedulerError::Timeout),
                        // It is being executed: its time to wait is over, but not in vain.
                        None => continue,
                    }
                }
            }
            return self.ended(SchedulerError::Stopping);
        }
    }

    /// An error behind which nothing comes.
    fn ended(&mut self, error: SchedulerError) -> Option<Outcome> {
        self.over = true;
        Some(Err(error))
    }
}

/// What happens first to whoever waits for an answer.
enum Heard {
    Answer(Option<Outcome>),
    End,
    Late,
}

async fn until(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => pending().await,
    }
}

impl Drop for Hearing {
    fn drop(&mut self) {
        self.queue.withdraw(self.ticket, FailureReason::Canceled);
    }
}
