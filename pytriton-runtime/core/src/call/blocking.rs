use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

/// Blocks on a future. Only for threads that may block, such as that of an instance.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Parked(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(done) => return done,
            Poll::Pending => thread::park(),
        }
    }
}

/// Wakes a blocked thread.
struct Parked(Thread);

impl Wake for Parked {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
