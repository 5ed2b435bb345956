use std::ffi::CString;

use pytriton_backend::session::{Slots, TensorNames, Welcome};

use crate::model::{ModelSpec, TensorSpec};
use crate::runner::Availability;
use crate::scheduler::SchedulerError;

use super::datatype_number;

/// What the backend is told of a model.
pub(crate) fn welcome(spec: &ModelSpec) -> Welcome {
    Welcome {
        names: names(spec),
        batches_in_flight: spec.batches_in_flight,
        slots: slots(spec),
        unavailable: unavailable(spec),
    }
}

/// What is said when no instance can serve: they hang, where a call may take only so long, or are gone.
fn unavailable(spec: &ModelSpec) -> String {
    let availability = match spec.max_call {
        Some(_) => Availability::Hanging,
        None => Availability::Gone,
    };
    let refusal = SchedulerError::refusal(spec, availability);
    refusal.map(|error| error.to_string()).unwrap_or_default()
}

/// So many answers to a request may be under way, where it may have any number, before its function waits.
const ANSWERS: u32 = 31;

/// Rings on which neither side ever waits for the other to read what can be under way, unless that is very much, or a
/// request has any number of answers.
fn slots(spec: &ModelSpec) -> Slots {
    const MOST: u32 = 1 << 16;
    let batch = spec.max_batch_size.max(1);
    let requests = spec.batches_in_flight.saturating_mul(batch);
    // A batch, its segment, a segment that is retired, and a cancellation for each request.
    let down = spec
        .batches_in_flight
        .saturating_mul(3)
        .saturating_add(requests);
    let fit = |slots: u32| slots.clamp(16, MOST).next_power_of_two();
    let answers = match spec.decoupled {
        true => ANSWERS,
        false => 1,
    };
    Slots {
        down: fit(down),
        up: fit(requests.saturating_mul(answers.saturating_add(1))),
    }
}

/// The tensors of a model as the backend knows them.
pub(crate) fn names(spec: &ModelSpec) -> TensorNames {
    let outputs = spec.outputs.iter();
    TensorNames {
        batching: spec.batching(),
        decoupled: spec.decoupled,
        cancellable: spec.cancellable,
        sequential: spec.sequence_batching.is_some(),
        inputs: spec.inputs.iter().map(name).collect(),
        outputs: outputs
            .map(|output| (name(output), datatype_number(output.datatype)))
            .collect(),
    }
}

/// A name with a zero byte in it is in no request, so that nothing is lost with it.
fn name(tensor: &TensorSpec) -> CString {
    CString::new(&*tensor.name).unwrap_or_default()
}
