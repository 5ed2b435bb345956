use std::future::Future;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::ClientError;

/// A thread that does what blocking clients wait for, until it is dropped.
///
/// Nothing is done on the thread that waits, which may itself be one of a runtime.
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
        let (told, heard) = sync_channel(1);
        let run = move || match Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => {
                // Nobody listens where the client has been given up already.
                let _ = told.send(Ok(runtime.handle().clone()));
                // An error is the end of the client, too.
                let _ = runtime.block_on(stopped);
            }
            Err(error) => drop(told.send(Err(error))),
        };
        let thread = thread::Builder::new().name("pytriton-client".to_owned());
        thread.spawn(run).map_err(|error| failed(&error))?;
        let handle = heard.recv().map_err(|error| failed(&error))?;
        Ok(Arc::new(Self {
            handle: handle.map_err(|error| failed(&error))?,
            _stop: stop,
        }))
    }

    /// Lets a future go on by itself.
    pub(super) fn spawn<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        self.handle.spawn(future)
    }

    /// Waits for what a future makes.
    pub(super) fn run<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, ClientError> {
        let (told, heard) = sync_channel(1);
        self.handle.spawn(async move {
            let done = future.await;
            // Whoever waited cannot have gone: it waits in this function.
            let _ = told.send(done);
        });
        heard.recv().map_err(|_| ClientError::Closed)
    }
}
