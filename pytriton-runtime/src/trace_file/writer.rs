use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::Duration;

use crate::json::JsonWriter;
use crate::tensor::{BytesElements, DataType, Tensor, shape_text};

use super::file::TraceFile;
use super::record::Event;
use super::sampler::Sampler;

/// So many traces wait at most to be written; the next are lost.
const WAITING: usize = 1024;

/// So much of a tensor's elements is written as text.
const MOST_DATA: usize = 64 << 10;

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
    lossy: AtomicBool,
}

impl Writer {
    /// Begins a thread that writes to a file; without one nothing is ever written.
    pub(super) fn new(path: &str) -> Arc<Self> {
        let (messages, received) = sync_channel(WAITING);
        let path = PathBuf::from(path);
        if !path.as_os_str().is_empty() {
            let thread = thread::Builder::new().name("traces".to_owned());
            if let Err(error) = thread.spawn(move || write(&received, TraceFile::new(path))) {
                tracing::error!("no traces are written: {error}");
            }
        }
        Arc::new(Self {
            messages,
            lossy: AtomicBool::new(false),
        })
    }

    pub(super) fn send(&self, finished: Finished) {
        self.pass_on(Message::Trace(finished));
    }

    pub(super) fn rest(&self, text: String, place: Place) {
        self.pass_on(Message::Rest(text, place));
    }

    /// Waits until all that was sent is written, but not for ever.
    pub(super) fn flush(&self) {
        let (written, waits) = sync_channel(1);
        if self.messages.send(Message::Flush(written)).is_ok() {
            let _ = waits.recv_timeout(Duration::from_secs(2));
        }
    }

    fn pass_on(&self, message: Message) {
        if let Err(TrySendError::Full(lost)) = self.messages.try_send(message)
            && !self.lossy.swap(true, Ordering::Relaxed)
        {
            tracing::warn!("traces are lost: {WAITING} wait to be written");
            drop(lost);
        }
    }
}

fn write(messages: &Receiver<Message>, mut file: TraceFile) {
    let mut failed = false;
    while let Ok(message) = messages.recv() {
        let (records, place) = match message {
            Message::Trace(finished) => {
                let records = records(finished.id, &finished.events);
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
                    tensor,
                } => {
                    json.name("activity").text(activity);
                    json.name("tensor").object(|json| {
                        json.name("name").text(name);
                        json.name("data").text(&data(tensor));
                        let shape = shape_text(tensor.shape());
                        json.name("shape").text(shape.trim_matches(['[', ']']));
                        json.name("dtype").text(tensor.datatype().name());
                    });
                }
            }
        });
    }
    String::from_utf8_lossy(&json.finish()).into_owned()
}

/// The elements of a tensor with commas between them, those of 16 bits apart, of which Triton writes none.
fn data(tensor: &Tensor) -> String {
    macro_rules! numbers {
        ($rust:ty) => {
            match tensor.elements::<$rust>() {
                Ok(elements) => joined(elements.iter()),
                Err(_) => String::new(),
            }
        };
    }
    match tensor.datatype() {
        DataType::Bool => joined(tensor.data().iter()),
        DataType::Uint8 => numbers!(u8),
        DataType::Uint16 => numbers!(u16),
        DataType::Uint32 => numbers!(u32),
        DataType::Uint64 => numbers!(u64),
        DataType::Int8 => numbers!(i8),
        DataType::Int16 => numbers!(i16),
        DataType::Int32 => numbers!(i32),
        DataType::Int64 => numbers!(i64),
        DataType::Fp32 => numbers!(f32),
        DataType::Fp64 => numbers!(f64),
        DataType::Fp16 | DataType::Bf16 => String::new(),
        DataType::Bytes => {
            let elements = BytesElements::new(tensor.data());
            let texts = elements.map_while(Result::ok);
            joined(texts.map(|text| format!("\"{}\"", String::from_utf8_lossy(text))))
        }
    }
}

fn joined(elements: impl Iterator<Item: std::fmt::Display>) -> String {
    let mut text = String::new();
    for element in elements {
        if text.len() > MOST_DATA {
            text.push('…');
            break;
        }
        if !text.is_empty() {
            text.push(',');
        }
        // A string takes everything.
        let _ = write!(text, "{element}");
    }
    text
}
