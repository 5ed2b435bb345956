use std::mem::take;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::time::{ClockId, clock_gettime};
use tokio::time::Instant;

use crate::model::ModelSpec;
use crate::request::{Request, Response, Traced};
use crate::statistics::Durations;
use crate::tensor::Tensor;

use super::sampler::Sampler;
use super::writer::Finished;

/// What is noted of one request, which is written down when nobody has it any longer.
#[derive(Debug)]
pub struct Timeline {
    id: u64,
    sampler: Arc<Sampler>,
    /// A moment, and what the clock of the system that only goes forward has said then.
    moment: (Instant, u64),
    events: Mutex<Vec<Event>>,
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
        tensor: Tensor,
    },
}

impl Timeline {
    pub(super) fn new(id: u64, sampler: Arc<Sampler>) -> Arc<Self> {
        let now = clock_gettime(ClockId::Monotonic);
        let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
        let part = u64::try_from(now.tv_nsec).unwrap_or(0);
        Arc::new(Self {
            id,
            sampler,
            moment: (Instant::now(), seconds * 1_000_000_000 + part),
            events: Mutex::default(),
        })
    }

    /// Something has happened.
    pub fn at(&self, name: &'static str, when: Instant) {
        if self.sampler.level().timestamps {
            let ns = self.ns(when);
            self.events().push(Event::Timestamp { name, ns });
        }
    }

    /// A tensor of the request or of its response.
    fn tensor(&self, activity: &'static str, name: &Arc<str>, tensor: &Tensor) {
        if self.sampler.level().tensors {
            self.events().push(Event::Tensor {
                activity,
                name: Arc::clone(name),
                tensor: tensor.clone(),
            });
        }
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

    fn events(&self) -> MutexGuard<'_, Vec<Event>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Traced for Timeline {
    fn now(&self, name: &'static str) {
        self.at(name, Instant::now());
    }

    fn waits(&self, request: &Request) {
        let spec = request.model();
        if self.sampler.level().timestamps {
            self.events().push(Event::Request {
                model: Arc::clone(&spec.name),
                version: spec.version,
                id: request.id().to_owned(),
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

    fn computed(&self, begun: Instant, durations: Durations) {
        let mut ns = self.ns(begun);
        let parts = [
            ("COMPUTE_START", 0),
            ("COMPUTE_INPUT_END", durations.compute_input),
            ("COMPUTE_OUTPUT_START", durations.compute_infer),
            ("COMPUTE_END", durations.compute_output),
        ];
        if self.sampler.level().timestamps {
            let mut events = self.events();
            for (name, took) in parts {
                ns = ns.saturating_add(took);
                events.push(Event::Timestamp { name, ns });
            }
        }
    }

    fn answered(&self, model: &ModelSpec, response: &Response) {
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
        let events = take(
            self.events
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner),
        );
        let sampler = Arc::clone(&self.sampler);
        let id = self.id;
        self.sampler.writer().send(Finished {
            sampler,
            id,
            events,
        });
    }
}
