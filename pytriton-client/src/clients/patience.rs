use std::future::Future;
use std::time::Duration;

use tokio::time::{sleep, timeout};

use crate::{ClientError, Stage};

/// The first pause before another attempt.
const PAUSE: Duration = Duration::from_millis(50);

/// How long a client waits for each kind of answer, and how often it tries anew.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// For the server and the model to be ready.
    pub(super) init: Duration,
    /// For an inference.
    pub(super) inference: Duration,
    /// How often a request is sent again that no server has seen.
    pub(super) retries: u32,
}

impl Patience {
    /// For any other answer: a minute, as PyTriton has it, and no longer than for the model.
    pub(super) fn request(&self) -> Duration {
        self.init.min(Duration::from_secs(60))
    }

    /// Does it within a time, and anew where no connection was to be had.
    pub(super) async fn within<T, F>(
        &self,
        stage: Stage,
        limit: Duration,
        mut attempt: impl FnMut() -> F,
    ) -> Result<T, ClientError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        let attempts = async {
            let (mut left, mut pause) = (self.retries, PAUSE);
            loop {
                match attempt().await {
                    Err(ClientError::Connect { .. }) if left > 0 => {
                        sleep(pause).await;
                        (left, pause) = (left - 1, pause * 2);
                    }
                    done => return done,
                }
            }
        };
        let late = |_| ClientError::Timeout {
            stage,
            timeout: limit,
            message: String::new(),
        };
        timeout(limit, attempts).await.map_err(late)?
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::{pending, ready};

    use tokio::time::Instant;

    use super::*;

    fn patience(retries: u32) -> Patience {
        Patience {
            init: Duration::from_secs(300),
            inference: Duration::from_secs(60),
            retries,
        }
    }

    fn refused() -> ClientError {
        let (address, message) = (String::new(), String::new());
        ClientError::Connect { address, message }
    }

    async fn attempts(retries: u32, error: ClientError) -> (u32, ClientError) {
        let count = Cell::new(0);
        let attempt = || {
            count.set(count.get() + 1);
            ready(Err::<(), _>(error.clone()))
        };
        let limit = Duration::from_secs(1);
        let done = patience(retries)
            .within(Stage::Request, limit, attempt)
            .await;
        (count.get(), done.unwrap_err())
    }

    #[tokio::test(start_paused = true)]
    async fn only_what_no_server_has_seen_is_sent_again() {
        assert_eq!(attempts(0, refused()).await, (1, refused()));
        assert_eq!(attempts(2, refused()).await, (3, refused()));
        assert_eq!(
            attempts(2, ClientError::Closed).await,
            (1, ClientError::Closed)
        );
        // 50, 100, 200, 400 ms, and then the second is over.
        let (count, error) = attempts(100, refused()).await;
        assert_eq!(count, 5);
        assert!(matches!(
            error,
            ClientError::Timeout {
                stage: Stage::Request,
                ..
            }
        ));
    }

    #[tokio::test(start_paused = true)]
    async fn what_does_not_end_is_given_up() {
        let begun = Instant::now();
        let limit = Duration::from_secs(7);
        let done = patience(0)
            .within(Stage::Inference, limit, pending::<Result<(), _>>)
            .await;
        assert_eq!(begun.elapsed().as_secs(), 7);
        assert_eq!(
            done.unwrap_err().to_string(),
            "the inference did not end within 7 s"
        );
    }
}
