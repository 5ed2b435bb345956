use std::sync::{Arc, Weak};
use std::thread;

use parking_lot::Mutex;
use pytriton_core::response_channel::{SchedulerError, StreamedBatch};

use super::session_sink::SessionSink;

/// A batch whose responses are sent while it runs.
pub(super) type Stream = StreamedBatch<SessionSink>;

/// The batches of a model whose responses are in flight.
#[derive(Debug, Default)]
pub(super) struct Streams(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    open: Vec<Weak<Stream>>,
    refused: bool,
}

impl Streams {
    /// Registers a batch for as long as it lives.
    pub(super) fn enter(&self, stream: &Arc<Stream>) {
        let mut state = self.0.lock();
        if state.refused {
            drop(state);
            return stream.refuse(&SchedulerError::Stopping);
        }
        state.open.retain(|open| open.strong_count() > 0);
        state.open.push(Arc::downgrade(stream));
    }

    /// Ends all batches once with the error that the server is shutting down. Does not block the
    /// caller.
    pub(super) fn refuse(&self) {
        let mut state = self.0.lock();
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
            tracing::debug!(%error, "cannot start a thread to end active streams");
        }
    }
}
