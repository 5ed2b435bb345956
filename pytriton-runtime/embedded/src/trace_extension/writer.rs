use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::output::Output;
use super::record::Finished;
use super::{Destination, TraceConfigError};

/// The maximum number of traces that wait to be written. Further ones are lost.
const MAX_WAITING_TRACES: usize = 1024;
/// The maximum size of all traces, including those of running requests. Further ones are lost.
const MAX_BYTES: usize = 16 << 20;

/// The file for records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The configured file.
    Whole,
    /// The next numbered file.
    Next,
}

#[derive(Debug)]
enum Message {
    Trace(Finished),
    Rest(String, Place),
    /// Sends a signal when everything before is written.
    Flush(SyncSender<()>),
}

/// A thread that writes traces.
#[derive(Debug)]
pub(super) struct Writer {
    messages: SyncSender<Message>,
    /// The size of all traces.
    bytes: Arc<AtomicUsize>,
    lossy: AtomicBool,
}

impl Writer {
    /// Returns a writer that discards everything.
    pub(super) fn discarding() -> Arc<Self> {
        Self::new().0
    }

    /// Starts a thread that writes to the destination, if there is one.
    pub(super) fn start(destination: &Destination) -> Result<Arc<Self>, TraceConfigError> {
        let (writer, received) = Self::new();
        if let Some(mut output) = Output::new(destination)? {
            let thread = thread::Builder::new().name("traces".to_owned());
            let bytes = Arc::clone(&writer.bytes);
            let write = move || write(&received, &bytes, &mut output);
            if let Err(error) = thread.spawn(write) {
                tracing::error!("cannot start the thread that writes traces: {error}");
            }
        }
        Ok(writer)
    }

    fn new() -> (Arc<Self>, Receiver<Message>) {
        let (messages, received) = sync_channel(MAX_WAITING_TRACES);
        let writer = Self {
            messages,
            bytes: Arc::default(),
            lossy: AtomicBool::new(false),
        };
        (Arc::new(writer), received)
    }

    /// Queues a trace. Part of its size is already reserved.
    pub(super) fn send(&self, finished: Finished, reserved: usize) {
        let bytes = finished.bytes;
        if !self.reserve(bytes - reserved) {
            self.release(reserved);
        } else if !self.pass_on(Message::Trace(finished)) {
            self.release(bytes);
            self.lose();
        }
    }

    /// Queues complete records.
    pub(super) fn rest(&self, text: String, place: Place) {
        let bytes = text.capacity();
        if self.reserve(bytes) && !self.pass_on(Message::Rest(text, place)) {
            self.release(bytes);
            self.lose();
        }
    }

    /// Reserves memory for a trace. Returns false, and counts a loss, if the limit is exceeded.
    pub(super) fn reserve(&self, bytes: usize) -> bool {
        let reserved = self
            .bytes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |taken| {
                taken.checked_add(bytes).filter(|taken| *taken <= MAX_BYTES)
            });
        if reserved.is_err() {
            self.lose();
        }
        reserved.is_ok()
    }

    /// Releases reserved memory.
    pub(super) fn release(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Waits until everything before is written, at most for `within`.
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

    /// Sends a message; returns false if the queue is full.
    fn pass_on(&self, message: Message) -> bool {
        !matches!(self.messages.try_send(message), Err(TrySendError::Full(_)))
    }

    fn lose(&self) {
        if !self.lossy.swap(true, Ordering::Relaxed) {
            tracing::warn!("traces were dropped: the queue of traces to write is full");
        }
    }
}

fn write(messages: &Receiver<Message>, bytes: &AtomicUsize, output: &mut Output) {
    while let Ok(message) = messages.recv() {
        match message {
            Message::Trace(finished) => {
                output.trace(&finished);
                bytes.fetch_sub(finished.bytes, Ordering::Relaxed);
            }
            Message::Rest(records, place) => {
                output.rest(&records, place);
                bytes.fetch_sub(records.capacity(), Ordering::Relaxed);
            }
            Message::Flush(written) => {
                output.flush();
                let _ = written.send(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use pytriton_core::request::{InferRequest, Request, TraceEvents};
    use pytriton_kserve::TraceLevel;
    use tokio::time::Instant as Moment;

    use crate::testing::{IDENTITY, infer_request};

    use super::super::TraceSettings;
    use super::super::record::Timeline;
    use super::super::sampler::Sampler;
    use super::super::spans::spans;
    use super::*;

    const MIB: usize = 1 << 20;

    /// Returns a writer whose messages are not consumed, and a sampler that uses it.
    fn sampler() -> (Arc<Writer>, Receiver<Message>, Arc<Sampler>) {
        let (writer, received) = Writer::new();
        let settings = TraceSettings {
            level: TraceLevel {
                timestamps: true,
                tensors: true,
            },
            destination: Destination::File("unused".to_owned()),
            ..TraceSettings::default()
        };
        let sampler = Sampler::new(settings, &writer);
        (writer, received, sampler)
    }

    fn request(id: usize, rows: usize) -> Request {
        let mut spec = IDENTITY.spec().unwrap();
        spec.max_batch_size = 1 << 20;
        let request = InferRequest {
            id: "i".repeat(id),
            ..infer_request(rows, 0.25)
        };
        Request::check(&Arc::new(spec), request).unwrap()
    }

    #[test]
    fn whole_trace_is_counted_and_the_id_is_truncated() {
        let (writer, received, sampler) = sampler();
        for (id, rows, most) in [(0, 1, 2000), (MIB, 1, 2000), (MIB, 100_000, 80_000)] {
            let timeline = Timeline::new(1, Arc::clone(&sampler), None);
            timeline.waits(&request(id, rows));
            timeline.at("REQUEST_END", Moment::now());
            drop(timeline);
            let taken = writer.bytes.load(Ordering::Relaxed);
            assert!((200..most).contains(&taken), "{id} {rows}: {taken}");
            let Ok(Message::Trace(finished)) = received.try_recv() else {
                panic!("no trace");
            };
            assert_eq!(finished.bytes, taken);
            writer.release(finished.bytes);
        }
    }

    #[test]
    fn request_has_one_end_even_without_a_response() {
        let (_writer, received, sampler) = sampler();
        for (starts, responds, expected) in [(true, false, 1), (true, true, 1), (false, false, 0)] {
            let timeline = Timeline::new(1, Arc::clone(&sampler), None);
            timeline.now("GRPC_WAITREAD_START");
            if starts {
                timeline.waits(&request(0, 1));
            }
            if responds {
                timeline.now("REQUEST_END");
            }
            drop(timeline);
            let Ok(Message::Trace(finished)) = received.try_recv() else {
                panic!("no trace");
            };
            let ends = finished.events.iter();
            let ends = ends.filter(|event| event.is_named("REQUEST_END"));
            assert_eq!(ends.count(), expected, "{finished:?}");
            let spans = spans(&finished);
            assert_eq!(spans.len(), if starts { 2 } else { 1 }, "{spans:?}");
        }
    }

    #[test]
    fn unwritten_traces_are_bounded() {
        let (writer, received, sampler) = sampler();
        let request = request(9, 100_000);
        let held: Vec<_> = (0..300)
            .map(|id| {
                let timeline = Timeline::new(id, Arc::clone(&sampler), None);
                timeline.waits(&request);
                timeline.waits(&request);
                assert!(writer.bytes.load(Ordering::Relaxed) <= MAX_BYTES);
                timeline
            })
            .collect();
        assert!(writer.lossy.load(Ordering::Relaxed));
        drop(held);
        for _ in 0..9 {
            writer.rest("r".repeat(2 * MIB), Place::Whole);
        }
        assert!(writer.bytes.load(Ordering::Relaxed) <= MAX_BYTES);
        let taken = received.try_iter().map(|message| match message {
            Message::Trace(finished) => finished.bytes,
            Message::Rest(text, _) => text.capacity(),
            Message::Flush(_) => 0,
        });
        let taken: usize = taken.sum();
        assert!(taken > MAX_BYTES / 2);
        assert_eq!(taken, writer.bytes.load(Ordering::Relaxed));
    }
}
