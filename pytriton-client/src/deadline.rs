use std::future::Future;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::time::{Instant, timeout_at};

use crate::{ClientError, Stage};

/// Practically unlimited, and safe to add to an instant.
const FOR_EVER: Duration = Duration::from_secs(30 * 365 * 86_400);

/// The deadline of an operation with any number of steps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    stage: Stage,
    limit: Duration,
    at: Instant,
}

impl Deadline {
    /// Starts now.
    pub(crate) fn new(stage: Stage, limit: Duration) -> Self {
        let now = Instant::now();
        let at = now.checked_add(limit).unwrap_or(now + FOR_EVER);
        Self { stage, limit, at }
    }

    /// Runs one step, and abandons it at the deadline.
    // Not an `async fn`: the future would contain the step twice.
    pub(crate) fn within<T, F>(self, step: F) -> impl Future<Output = Result<T, ClientError>>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        let late = move |_| Err(self.late(String::new()));
        timeout_at(self.at, step).map(move |done| done.unwrap_or_else(late))
    }

    /// Returns the error for an expired deadline.
    pub(crate) fn late(&self, message: String) -> ClientError {
        ClientError::Timeout {
            stage: self.stage,
            timeout: self.limit,
            message,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::time::sleep;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn stages_share_the_deadline() {
        let begun = Instant::now();
        let deadline = Deadline::new(Stage::Inference, Duration::from_secs(7));
        let step = async {
            sleep(Duration::from_secs(5)).await;
            Ok(())
        };
        assert_eq!(deadline.within(step).await, Ok(()));
        let late = deadline.within(pending::<Result<(), _>>()).await;
        assert_eq!(begun.elapsed().as_secs(), 7);
        let words = "the inference did not complete within 7 s";
        assert_eq!(late.unwrap_err().to_string(), words);
        let never = Deadline::new(Stage::Inference, Duration::MAX);
        assert_eq!(never.within(async { Ok(1) }).await, Ok(1));
    }
}
