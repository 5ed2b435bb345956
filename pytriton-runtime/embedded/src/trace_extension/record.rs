use std::mem::take;
use std::sync::Arc;
use std::time::SystemTime;

use parking_lot::{Mutex, MutexGuard};
use pytriton_core::model::ModelSpec;
use pytriton_core::request::{Request, Response, TraceEvents};
use pytriton_core::statistics::Durations;
use pytriton_core::text::id_in_log;
use pytriton_engine::trace::TraceContext;
use pytriton_protocol::tensor::{DataType, Tensor, shape_text};
use rustix::time::{ClockId, clock_gettime};
use tokio::time::Instant;

use super::elements::{MAX_TEXT_BYTES, elements_text};
use super::sampler::Sampler;

/// The maximum that is recorded of one request. Beyond it, only the last time of each event is
/// kept.
const MAX_EVENTS: usize = 1024;
const MAX_EVENT_BYTES: usize = 1 << 20;

/// The events of one request. It is written after the last reference is dropped.
#[derive(Debug)]
pub struct Timeline {
    id: u64,
    sampler: Arc<Sampler>,
    /// An instant, and the monotonic clock at that instant.
    moment: (Instant, u64),
    /// The wall-clock time of that instant.
    wall: SystemTime,
    /// The client's trace, if any.
    client: Option<TraceContext>,
    notes: Mutex<Notes>,
}

/// A trace to which no more events are added.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) sampler: Arc<Sampler>,
    pub(super) id: u64,
    /// Its size, which the writer has reserved.
    pub(super) bytes: usize,
    pub(super) events: Vec<Event>,
    /// Its end.
    pub(super) ns: u64,
    /// A time of the monotonic clock, and the same as wall-clock time.
    pub(super) moment: (u64, SystemTime),
    pub(super) client: Option<TraceContext>,
}

#[derive(Debug)]
pub(super) enum Event {
    Timestamp {
        name: &'static str,
        ns: u64,
    },
    Request {
        model: Arc<str>,
        version: u32,
        id: String,
    },
    Tensor {
        activity: &'static str,
        name: Arc<str>,
        /// The elements as text, which hold no memory of the request.
        data: String,
        shape: String,
        datatype: DataType,
    },
}

impl Event {
    /// Returns whether this is the time of the event with this name.
    pub(super) fn is_named(&self, wanted: &str) -> bool {
        matches!(self, Self::Timestamp { name, .. } if *name == wanted)
    }
}

/// The recorded events, bounded regardless of the length of a stream.
#[derive(Debug, Default)]
struct Notes {
    events: Vec<Event>,
    /// The size of the tensors' text, which the writer has reserved.
    bytes: usize,
    /// The last time of each event that exceeded the limit.
    last: Vec<(&'static str, u64)>,
}

impl Notes {
    fn has_space(&self) -> bool {
        self.events.len() < MAX_EVENTS && self.bytes < MAX_EVENT_BYTES
    }

    fn timestamp(&mut self, name: &'static str, ns: u64) {
        if self.events.len() < MAX_EVENTS {
            self.events.push(Event::Timestamp { name, ns });
            return;
        }
        match self.last.iter_mut().find(|(known, _)| *known == name) {
            Some((_, last)) => *last = ns,
            None => self.last.push((name, ns)),
        }
    }

    fn has(&self, wanted: &str) -> bool {
        self.events.iter().any(|event| event.is_named(wanted))
            || self.last.iter().any(|(name, _)| *name == wanted)
    }

    /// Ends a request that was cancelled or refused after it had been queued.
    fn end_request(&mut self, ns: u64) {
        if self.has("REQUEST_START") && !self.has("REQUEST_END") {
            self.timestamp("REQUEST_END", ns);
        }
    }

    fn finish(mut self) -> Vec<Event> {
        self.last.sort_by_key(|&(_, ns)| ns);
        let last = self.last.into_iter();
        self.events
            .extend(last.map(|(name, ns)| Event::Timestamp { name, ns }));
        self.events
    }
}

impl Timeline {
    pub(super) fn new(id: u64, sampler: Arc<Sampler>, client: Option<TraceContext>) -> Arc<Self> {
        let now = clock_gettime(ClockId::Monotonic);
        let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
        let nanoseconds = u64::try_from(now.tv_nsec).unwrap_or(0);
        Arc::new(Self {
            id,
            sampler,
            moment: (Instant::now(), seconds * 1_000_000_000 + nanoseconds),
            wall: SystemTime::now(),
            client,
            notes: Mutex::default(),
        })
    }

    /// Records an event.
    pub fn at(&self, name: &'static str, when: Instant) {
        if self.sampler.level().timestamps {
            let ns = self.ns(when);
            self.notes().timestamp(name, ns);
        }
    }

    /// Records a tensor of the request or of its response.
    fn tensor(&self, activity: &'static str, name: &Arc<str>, tensor: &Tensor) {
        if !self.sampler.level().tensors || !self.notes().has_space() {
            return;
        }
        let writer = self.sampler.writer();
        if !writer.reserve(MAX_TEXT_BYTES) {
            return;
        }
        let mut data = elements_text(tensor);
        data.shrink_to_fit();
        let shape = shape_text(tensor.shape());
        let bytes = data.capacity() + shape.len();
        writer.release(MAX_TEXT_BYTES.saturating_sub(bytes));
        let mut notes = self.notes();
        notes.bytes += bytes.min(MAX_TEXT_BYTES);
        notes.events.push(Event::Tensor {
            activity,
            name: Arc::clone(name),
            data,
            shape,
            datatype: tensor.datatype(),
        });
    }

    fn ns(&self, when: Instant) -> u64 {
        let (moment, ns) = self.moment;
        let nanoseconds =
            |duration: std::time::Duration| u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        match when.checked_duration_since(moment) {
            Some(after) => ns.saturating_add(nanoseconds(after)),
            None => ns.saturating_sub(nanoseconds(moment.saturating_duration_since(when))),
        }
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock()
    }
}

impl TraceEvents for Timeline {
    fn now(&self, name: &'static str) {
        self.at(name, Instant::now());
    }

    fn waits(&self, request: &Request) {
        let spec = request.model();
        if self.sampler.level().timestamps {
            self.notes().events.push(Event::Request {
                model: Arc::clone(&spec.name),
                version: spec.version,
                id: id_in_log(request.id()),
            });
        }
        self.now("REQUEST_START");
        self.now("QUEUE_START");
        for (input, tensor) in spec.inputs.iter().zip(request.inputs()) {
            if let Some(tensor) = tensor {
                self.tensor("TENSOR_QUEUE_INPUT", &input.name, tensor);
            }
        }
    }

    fn batched(&self, _: usize) {}

    fn computed(&self, begun: Instant, durations: Durations) {
        let mut ns = self.ns(begun);
        let parts = [
            ("COMPUTE_START", 0),
            ("COMPUTE_INPUT_END", durations.compute_input),
            ("COMPUTE_OUTPUT_START", durations.compute_infer),
            ("COMPUTE_END", durations.compute_output),
        ];
        if self.sampler.level().timestamps {
            let mut notes = self.notes();
            for (name, took) in parts {
                ns = ns.saturating_add(took);
                notes.timestamp(name, ns);
            }
        }
    }

    fn responded(&self, model: &ModelSpec, response: &Response) {
        for (index, tensor) in &response.outputs {
            if let Some(output) = model.outputs.get(*index) {
                self.tensor("TENSOR_BACKEND_OUTPUT", &output.name, tensor);
            }
        }
        self.now("INFER_RESPONSE_COMPLETE");
    }
}

impl Drop for Timeline {
    fn drop(&mut self) {
        let mut notes = take(self.notes.get_mut());
        let ns = self.ns(Instant::now());
        notes.end_request(ns);
        let reserved = notes.bytes;
        let events = notes.finish();
        let client = self.client.as_ref().map_or(0, |client| client.state.len());
        let ids = events.iter().map(|event| match event {
            Event::Request { id, .. } => id.len(),
            Event::Timestamp { .. } | Event::Tensor { .. } => 0,
        });
        let rest = size_of::<Finished>()
            + events.capacity() * size_of::<Event>()
            + ids.sum::<usize>()
            + client;
        let finished = Finished {
            sampler: Arc::clone(&self.sampler),
            id: self.id,
            bytes: reserved + rest,
            events,
            ns,
            moment: (self.moment.1, self.wall),
            client: self.client.take(),
        };
        self.sampler.writer().send(finished, reserved);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_stream_keeps_the_first_and_last_timestamps() {
        let mut notes = Notes::default();
        for ns in 0..100_000 {
            notes.timestamp("COMPUTE_END", 2 * ns);
            notes.timestamp("INFER_RESPONSE_COMPLETE", 2 * ns + 1);
        }
        let events = notes.finish();
        assert_eq!(events.len(), MAX_EVENTS + 2);
        let last = events[MAX_EVENTS..].iter().map(|event| match event {
            Event::Timestamp { name, ns } => (*name, *ns),
            _ => unreachable!(),
        });
        let expected = [
            ("COMPUTE_END", 199_998),
            ("INFER_RESPONSE_COMPLETE", 199_999),
        ];
        assert!(last.eq(expected));
    }
}
