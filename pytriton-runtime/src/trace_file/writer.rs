use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::json::JsonWriter;

use super::file::TraceFile;
use super::record::Event;
use super::sampler::Sampler;

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

/// A trace to which nothing is added.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) sampler: Arc<Sampler>,
    pub(super) id: u64,
    /// Those of the tensors' texts.
    pub(super) bytes: usize,
    pub(super) events: Vec<Event>,
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
    /// Begins a thread that writes to a file; without one nothing is ever written.
    pub(super) fn new(path: &str) -> Arc<Self> {
        let (messages, received) = sync_channel(WAITING);
        let waiting = Arc::<AtomicUsize>::default();
        let path = PathBuf::from(path);
        if !path.as_os_str().is_empty() {
            let thread = thread::Builder::new().name("traces".to_owned());
            let taken = Arc::clone(&waiting);
            let write = move || write(&received, &taken, TraceFile::new(path));
            if let Err(error) = thread.spawn(write) {
                tracing::error!("no traces are written: {error}");
            }
        }
        Arc::new(Self {
            messages,
            waiting,
            lossy: AtomicBool::new(false),
        })
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

fn write(messages: &Receiver<Message>, waiting: &AtomicUsize, mut file: TraceFile) {
    let mut failed = false;
    while let Ok(message) = messages.recv() {
        let (records, place) = match message {
            Message::Trace(finished) => {
                let records = records(finished.id, &finished.events);
                waiting.fetch_sub(finished.bytes, Ordering::Relaxed);
                match finished.sampler.collect(&records) {
                    Some(complete) => complete,
                    None => continue,
                }
            }
            Message::Rest(records, place) => (records, place),
            Message::Flush(written) => {
                let _ = written.send(());
                continue;
            }
        };
        if let Err(error) = file.write(&records, place)
            && !std::mem::replace(&mut failed, true)
        {
            tracing::error!("traces cannot be written: {error}");
        }
    }
}

fn records(id: u64, events: &[Event]) -> String {
    let mut json = JsonWriter::default();
    for event in events {
        json.object(|json| {
            json.name("id").integer(id);
            match event {
                Event::Timestamp { name, ns } => json.name("timestamps").array([()], |json, ()| {
                    json.object(|json| {
                        json.name("name").text(name);
                        json.name("ns").integer(*ns);
                    });
                }),
                Event::Request { model, version, id } => {
                    json.name("model_name").text(model);
                    json.name("model_version").integer(*version);
                    if !id.is_empty() {
                        json.name("request_id").text(id);
                    }
                }
                Event::Tensor {
                    activity,
                    name,
                    data,
                    shape,
                    datatype,
                } => {
                    json.name("activity").text(activity);
                    json.name("tensor").object(|json| {
                        json.name("name").text(name);
                        json.name("data").text(data);
                        json.name("shape").text(shape.trim_matches(['[', ']']));
                        json.name("dtype").text(datatype.name());
                    });
                }
            }
        });
    }
    String::from_utf8_lossy(&json.finish()).into_owned()
}
