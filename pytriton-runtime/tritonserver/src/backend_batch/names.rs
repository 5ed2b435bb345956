use std::ffi::CString;

use pytriton_backend::session::{Slots, TensorNames, Welcome};
use pytriton_core::instance::Availability;
use pytriton_core::model::{ModelSpec, TensorSpec};
use pytriton_core::response_channel::SchedulerError;

/// Returns the properties of a model that the backend needs.
pub(crate) fn welcome(spec: &ModelSpec) -> Welcome {
    Welcome {
        names: names(spec),
        batches_in_flight: spec.call_options.batches_in_flight,
        slots: slots(spec),
        unavailable: unavailable(spec),
    }
}

/// Returns the error for a model without a free instance: they are stalled if calls have a time
/// limit, otherwise gone.
fn unavailable(spec: &ModelSpec) -> String {
    let availability = match spec.call_options.call_limit() {
        Some(_) => Availability::Stalled,
        None => Availability::Gone,
    };
    let refusal = SchedulerError::refusal(spec, availability);
    refusal.map(|error| error.to_string()).unwrap_or_default()
}

/// The number of responses to a request of a decoupled model that may be in flight before its
/// function waits.
const MAX_RESPONSES_IN_FLIGHT: u32 = 31;

/// Returns the ring sizes. They hold everything that can be in flight, so that neither side waits
/// for the other. The exceptions are very large batches and decoupled models.
fn slots(spec: &ModelSpec) -> Slots {
    const MAX_SLOTS: u32 = 1 << 16;
    let batch = spec.max_batch_size.max(1);
    let requests = spec.call_options.batches_in_flight.saturating_mul(batch);
    // A batch, its segment, a retired segment, and a cancellation for each request.
    let down = spec
        .call_options
        .batches_in_flight
        .saturating_mul(3)
        .saturating_add(requests);
    let fit = |slots: u32| slots.clamp(16, MAX_SLOTS).next_power_of_two();
    let answers = match spec.decoupled {
        true => MAX_RESPONSES_IN_FLIGHT,
        false => 1,
    };
    Slots {
        down: fit(down),
        up: fit(requests.saturating_mul(answers.saturating_add(1))),
    }
}

/// Returns the tensors of a model as the backend knows them.
pub(crate) fn names(spec: &ModelSpec) -> TensorNames {
    let outputs = spec.outputs.iter();
    let sequences = spec.sequence_batching();
    TensorNames {
        batching: spec.batching(),
        decoupled: spec.decoupled,
        cancellable: spec.cancellable,
        sequence_slots: sequences.map_or(0, |of| of.slots(spec.max_batch_size).max(1)),
        inputs: spec.inputs.iter().map(name).collect(),
        outputs: outputs
            .map(|output| (name(output), output.datatype.triton_number().into()))
            .collect(),
    }
}

/// A name that contains a zero byte matches no request, so nothing is lost.
fn name(tensor: &TensorSpec) -> CString {
    CString::new(&*tensor.name).unwrap_or_default()
}
