use std::future::Future;
use std::time::Duration;

use tokio::time::sleep;

use crate::ClientError;
use crate::deadline::Deadline;

/// The delay before the first retry.
const FIRST_RETRY_DELAY: Duration = Duration::from_millis(50);

/// The time limit for a connection, which allows three TCP connection attempts.
const MAX_CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The client's timeouts and retries.
#[derive(Debug, Clone, Copy)]
pub(super) struct RetryPolicy {
    /// Until the server and the model are ready.
    pub(super) init: Duration,
    /// For an inference.
    pub(super) inference: Duration,
    /// Retries of a request that no server has received.
    pub(super) retries: u32,
}

impl RetryPolicy {
    /// For any other request: one minute, as in PyTriton, but at most the readiness timeout.
    pub(super) fn request(&self) -> Duration {
        self.init.min(Duration::from_secs(60))
    }

    /// For a connection to one of `servers`, leaving time to try the others.
    pub(super) fn connect(&self, servers: usize) -> Duration {
        let servers = u32::try_from(servers.max(1)).unwrap_or(u32::MAX);
        MAX_CONNECT_TIMEOUT.min(self.init.min(self.inference) / servers)
    }

    /// Runs the operation within the limit, and retries it if no connection could be made.
    pub(super) async fn within<T, F>(
        &self,
        deadline: Deadline,
        mut attempt: impl FnMut() -> F,
    ) -> Result<T, ClientError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        let attempts = async {
            let (mut left, mut delay) = (self.retries, FIRST_RETRY_DELAY);
            loop {
                match attempt().await {
                    Err(error) if left > 0 && error.is_unconnected() => {
                        sleep(delay).await;
                        (left, delay) = (left - 1, delay * 2);
                    }
                    done => return done,
                }
            }
        };
        deadline.within(attempts).await
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::ready;

    use super::*;
    use crate::Stage;

    fn retry_policy(retries: u32) -> RetryPolicy {
        RetryPolicy {
            init: Duration::from_secs(300),
            inference: Duration::from_secs(60),
            retries,
        }
    }

    fn refused() -> ClientError {
        let (address, message) = (String::new(), String::new());
        ClientError::Connect { address, message }
    }

    fn slow(stage: Stage) -> ClientError {
        ClientError::Timeout {
            stage,
            timeout: MAX_CONNECT_TIMEOUT,
            message: String::new(),
        }
    }

    async fn attempts(retries: u32, error: ClientError) -> (u32, ClientError) {
        let count = Cell::new(0);
        let attempt = || {
            count.set(count.get() + 1);
            ready(Err::<(), _>(error.clone()))
        };
        let deadline = Deadline::new(Stage::Request, Duration::from_secs(1));
        let done = retry_policy(retries).within(deadline, attempt).await;
        (count.get(), done.unwrap_err())
    }

    #[tokio::test(start_paused = true)]
    async fn only_unsent_requests_are_retried() {
        assert_eq!(attempts(0, refused()).await, (1, refused()));
        for (error, count) in [
            (refused(), 3),
            (slow(Stage::Connect), 3),
            (slow(Stage::Request), 1),
            (ClientError::Closed, 1),
        ] {
            assert_eq!(attempts(2, error.clone()).await, (count, error));
        }
        // Delays of 50, 100, 200 and 400 ms, then the second has passed.
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

    #[test]
    fn connect_timeout_leaves_time_for_other_servers() {
        let seconds = Duration::from_secs;
        assert_eq!(retry_policy(0).connect(1), seconds(10));
        let hasty = RetryPolicy {
            inference: seconds(3),
            ..retry_policy(0)
        };
        assert_eq!(hasty.connect(1), seconds(3));
        assert_eq!(hasty.connect(3), seconds(1));
    }
}
