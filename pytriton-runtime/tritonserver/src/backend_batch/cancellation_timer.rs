use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Sleep, sleep};

/// The interval at which a stream that waits for its next item polls for cancellation. The worker
/// learns of one every 20 ms.
const INTERVAL: Duration = Duration::from_millis(20);

/// Wakes a task to check again whether its request was cancelled, which tritonserver does not
/// report by itself.
#[derive(Debug, Default)]
pub(crate) struct CancellationTimer(Option<Pin<Box<Sleep>>>);

impl CancellationTimer {
    /// Waits for the next check.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let timer = self.0.get_or_insert_with(|| Box::pin(sleep(INTERVAL)));
        ready!(timer.as_mut().poll(context));
        self.0 = None;
        Poll::Ready(())
    }
}
