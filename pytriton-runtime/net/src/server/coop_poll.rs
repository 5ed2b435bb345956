use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::task::AtomicWaker;

/// The maximum number of consecutive polls. Then other tasks of the thread run.
const MAX_POLLS: usize = 8;

/// Polls a future only if it has been woken, and polls it again at once if it was woken meanwhile.
///
/// Taking a chunk of a body wakes the connection that is being polled. Otherwise, that wake would
/// queue the task again and wake another worker thread to steal it.
#[derive(Debug)]
pub(crate) struct CoopPoll<F> {
    future: F,
    wake_state: Arc<WakeState>,
    waker: Waker,
}

#[derive(Debug)]
struct WakeState {
    state: AtomicU8,
    task: AtomicWaker,
}

const IDLE: u8 = 0;
const POLLED: u8 = 1;
const WOKEN: u8 = 2;

impl<F> CoopPoll<F> {
    pub(crate) fn new(future: F) -> Self {
        let wake_state = Arc::new(WakeState {
            state: AtomicU8::new(WOKEN),
            task: AtomicWaker::new(),
        });
        Self {
            future,
            waker: Waker::from(Arc::clone(&wake_state)),
            wake_state,
        }
    }

    /// Returns the future for changes. The next poll polls it, woken or not.
    pub(crate) fn changed(&mut self) -> &mut F {
        self.wake_state.state.store(WOKEN, Ordering::Release);
        &mut self.future
    }
}

impl<F: Future + Unpin> Future for CoopPoll<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let Self {
            future,
            wake_state,
            waker,
        } = &mut *self;
        wake_state.task.register(context.waker());
        let mut inner_context = Context::from_waker(waker);
        for _ in 0..MAX_POLLS {
            if !wake_state.change(WOKEN, POLLED) {
                return Poll::Pending;
            }
            if let Poll::Ready(output) = Pin::new(&mut *future).poll(&mut inner_context) {
                return Poll::Ready(output);
            }
            if wake_state.change(POLLED, IDLE) {
                return Poll::Pending;
            }
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

impl WakeState {
    fn change(&self, from: u8, to: u8) -> bool {
        let (success, failure) = (Ordering::AcqRel, Ordering::Acquire);
        let changed = self.state.compare_exchange(from, to, success, failure);
        changed.is_ok()
    }
}

impl Wake for WakeState {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // In the other states, the current poll or an earlier wake handles it.
        if self.state.swap(WOKEN, Ordering::AcqRel) == IDLE {
            self.task.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::sync::atomic::AtomicUsize;
    use std::time::Duration;

    use tokio::sync::mpsc;
    use tokio::time::timeout;

    use super::*;

    #[derive(Debug, Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Polls a future that wakes itself `wakes` times. Returns the number of inner polls within the
    /// first poll, and of task wakes.
    fn first_poll(wakes: usize) -> (usize, usize) {
        let count = Arc::new(Count::default());
        let task = Waker::from(Arc::clone(&count));
        let mut polls = 0;
        let mut future = CoopPoll::new(poll_fn(|context| {
            polls += 1;
            if polls <= wakes {
                context.waker().wake_by_ref();
            }
            Poll::<()>::Pending
        }));
        let polled = Pin::new(&mut future).poll(&mut Context::from_waker(&task));
        assert!(polled.is_pending());
        drop(future);
        (polls, count.0.load(Ordering::Relaxed))
    }

    #[test]
    fn a_future_that_wakes_itself_is_polled_again_and_not_forever() {
        assert_eq!(first_poll(0), (1, 0));
        assert_eq!(first_poll(1), (2, 0));
        assert_eq!(first_poll(usize::MAX), (MAX_POLLS, 1));
    }

    #[test]
    fn a_future_that_has_not_been_woken_is_not_polled() {
        let count = Arc::new(Count::default());
        let task = Waker::from(Arc::clone(&count));
        let mut context = Context::from_waker(&task);
        let mut polls = 0;
        let mut waker = None;
        let mut future = CoopPoll::new(poll_fn(|context| {
            polls += 1;
            waker = Some(context.waker().clone());
            match polls {
                3 => Poll::Ready(()),
                _ => Poll::Pending,
            }
        }));
        for _ in 0..5 {
            assert!(Pin::new(&mut future).poll(&mut context).is_pending());
        }
        future.changed();
        assert!(Pin::new(&mut future).poll(&mut context).is_pending());
        assert!(Pin::new(&mut future).poll(&mut context).is_pending());
        future.wake_state.wake_by_ref();
        future.wake_state.wake_by_ref();
        assert_eq!(count.0.load(Ordering::Relaxed), 1);
        assert!(Pin::new(&mut future).poll(&mut context).is_ready());
        drop(future);
        assert_eq!(polls, 3);
        drop(waker);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn wakes_from_other_threads_are_not_lost() {
        const MANY: usize = 20_000;
        let (there, mut back) = (mpsc::channel(1), mpsc::channel(1));
        let (sender, mut receiver) = there;
        let answers = tokio::spawn(async move {
            while let Some(number) = receiver.recv().await {
                back.0.send(number).await.unwrap();
            }
        });
        let asks = async move {
            for number in 0..MANY {
                sender.send(number).await.unwrap();
                assert_eq!(back.1.recv().await, Some(number));
            }
        };
        let asks = tokio::spawn(async move { CoopPoll::new(Box::pin(asks)).await });
        timeout(Duration::from_secs(20), asks)
            .await
            .unwrap()
            .unwrap();
        answers.await.unwrap();
    }
}
