use std::future::Future;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::ClientError;

/// A thread that runs the I/O of blocking clients until it is dropped.
///
/// No work is done on the calling thread, which may be a runtime thread itself.
#[derive(Debug)]
pub(super) struct Worker {
    handle: Handle,
    _stop: oneshot::Sender<()>,
}

impl Worker {
    pub(super) fn start() -> Result<Arc<Self>, ClientError> {
        let failed = |error: &dyn std::fmt::Display| ClientError::Thread {
            message: error.to_string(),
        };
        let (stop, stopped) = oneshot::channel();
        let (sender, receiver) = sync_channel(1);
        let run = move || match Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => {
                // The receiver is gone if the client was dropped in the meantime.
                let _ = sender.send(Ok(runtime.handle().clone()));
                // An error means that the client was dropped.
                let _ = runtime.block_on(stopped);
            }
            Err(error) => drop(sender.send(Err(error))),
        };
        let thread = thread::Builder::new().name("pytriton-client".to_owned());
        thread.spawn(run).map_err(|error| failed(&error))?;
        let handle = receiver.recv().map_err(|error| failed(&error))?;
        Ok(Arc::new(Self {
            handle: handle.map_err(|error| failed(&error))?,
            _stop: stop,
        }))
    }

    /// Spawns a future on the thread's runtime.
    pub(super) fn spawn<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        self.handle.spawn(future)
    }

    /// Blocks until the future completes.
    pub(super) fn run<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, ClientError> {
        let (sender, receiver) = sync_channel(1);
        self.handle.spawn(async move {
            let done = future.await;
            // The receiver waits in this function, so it cannot be gone.
            let _ = sender.send(done);
        });
        receiver.recv().map_err(|_| ClientError::Closed)
    }
}
