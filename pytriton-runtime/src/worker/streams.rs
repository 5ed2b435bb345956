use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;

use crate::gathered::Streamed;
use crate::scheduler::SchedulerError;

use super::outlet::SessionOutlet;

/// A batch whose answers leave while it is computed.
pub(super) type Stream = Streamed<SessionOutlet>;

/// The batches of a model whose answers are leaving.
#[derive(Debug, Default)]
pub(super) struct Streams(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    open: Vec<Weak<Stream>>,
    refused: bool,
}

impl Streams {
    /// Notes a batch, as long as it lives.
    pub(super) fn enter(&self, stream: &Arc<Stream>) {
        let mut state = self.lock();
        if state.refused {
            drop(state);
            return stream.refuse(&SchedulerError::Stopping);
        }
        state.open.retain(|open| open.strong_count() > 0);
        state.open.push(Arc::downgrade(stream));
    }

    /// Ends all of them with the news that the server stops, once, without keeping whoever says so.
    pub(super) fn refuse(&self) {
        let mut state = self.lock();
        let open = std::mem::take(&mut state.open);
        if std::mem::replace(&mut state.refused, true) || open.is_empty() {
            return;
        }
        drop(state);
        let refusing = thread::Builder::new().name("refusals".to_owned());
        let refused = refusing.spawn(move || {
            for stream in open.iter().filter_map(Weak::upgrade) {
                stream.refuse(&SchedulerError::Stopping);
            }
        });
        if let Err(error) = refused {
            tracing::debug!(%error, "no thread to end what is being answered");
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing under this lock panics half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
