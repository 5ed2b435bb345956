use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::output::Output;
use super::record::Finished;
use super::{Destination, TraceConfigError};

/// So many traces wait at most to be written; the next are lost.
const WAITING: usize = 1024;
/// And so many bytes of their tensors.
const WAITING_BYTES: usize = 64 << 20;

/// Which file has records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The one that is named.
    Whole,
    /// The next of those that are numbered.
    Next,
}

#[derive(Debug)]
enum Message {
    Trace(Finished),
    Rest(String, Place),
    /// Answered when all that came before is written.
    Flush(SyncSender<()>),
}

/// A thread that writes traces down.
#[derive(Debug)]
pub(super) struct Writer {
    messages: SyncSender<Message>,
    /// The bytes of tensors that wait.
    waiting: Arc<AtomicUsize>,
    lossy: AtomicBool,
}

impl Writer {
    /// One by whom nothing is ever written.
    pub(super) fn nowhere() -> Arc<Self> {
        Self::new().0
    }

    /// Begins a thread that writes to where traces go, where that is anywhere.
    pub(super) fn start(destination: &Destination) -> Result<Arc<Self>, TraceConfigError> {
        let (writer, received) = Self::new();
        if let Some(mut output) = Output::new(destination)? {
            let thread = thread::Builder::new().name("traces".to_owned());
            let waiting = Arc::clone(&writer.waiting);
            let write = move || write(&received, &waiting, &mut output);
            if let Err(error) = thread.spawn(write) {
                tracing::error!("no traces are written: {error}");
            }
        }
        Ok(writer)
    }

    fn new() -> (Arc<Self>, Receiver<Message>) {
        let (messages, received) = sync_channel(WAITING);
        let writer = Self {
            messages,
            waiting: Arc::default(),
            lossy: AtomicBool::new(false),
        };
        (Arc::new(writer), received)
    }

    pub(super) fn send(&self, finished: Finished) {
        let bytes = finished.bytes;
        let before = self.waiting.fetch_add(bytes, Ordering::Relaxed);
        let room = bytes == 0 || before.saturating_add(bytes) <= WAITING_BYTES;
        if !room || !self.pass_on(Message::Trace(finished)) {
            self.waiting.fetch_sub(bytes, Ordering::Relaxed);
            self.lose();
        }
    }

    pub(super) fn rest(&self, text: String, place: Place) {
        if !self.pass_on(Message::Rest(text, place)) {
            self.lose();
        }
    }

    /// Waits until all that was sent is written, but no longer than this.
    pub(super) fn flush(&self, within: Duration) {
        let begun = Instant::now();
        let (written, waits) = sync_channel(1);
        let mut message = Message::Flush(written);
        while let Err(error) = self.messages.try_send(message) {
            message = match error {
                TrySendError::Full(message) if begun.elapsed() < within => message,
                _ => return,
            };
            thread::sleep(Duration::from_millis(5));
        }
        let _ = waits.recv_timeout(within.saturating_sub(begun.elapsed()));
    }

    /// Whether there is room for it.
    fn pass_on(&self, message: Message) -> bool {
        !matches!(self.messages.try_send(message), Err(TrySendError::Full(_)))
    }

    fn lose(&self) {
        if !self.lossy.swap(true, Ordering::Relaxed) {
            tracing::warn!("traces are lost: too many wait to be written");
        }
    }
}

fn write(messages: &Receiver<Message>, waiting: &AtomicUsize, output: &mut Output) {
    while let Ok(message) = messages.recv() {
        match message {
            Message::Trace(finished) => {
                output.trace(&finished);
                waiting.fetch_sub(finished.bytes, Ordering::Relaxed);
            }
            Message::Rest(records, place) => output.rest(&records, place),
            Message::Flush(written) => {
                output.flush();
                let _ = written.send(());
            }
        }
    }
}
