//! The table of sequences and slots, tested with a simulated clock.

mod bench;
mod endings;
mod fairness;
mod random;
mod slots;
mod taken_back;

use pytriton_core::registry::{ModelOptions, SequenceScheduling};
use pytriton_core::testing::IDENTITY;

pub(in crate::sequences) const DIRECT: ModelOptions<'static> = ModelOptions {
    sequence_batching: Some(SequenceScheduling::Direct),
    ..IDENTITY.options
};

pub(in crate::sequences) const fn oldest(slots: u32) -> ModelOptions<'static> {
    ModelOptions {
        sequence_batching: Some(SequenceScheduling::Oldest),
        max_candidate_sequences: slots,
        ..IDENTITY.options
    }
}

const STRATEGIES: [ModelOptions<'static>; 2] = [DIRECT, oldest(0)];
