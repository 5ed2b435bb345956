//! The table of sequences and slots, tested with a simulated clock.

mod bench;
mod endings;
mod fairness;
mod random;
mod slots;
mod taken_back;

use pytriton_core::registry::SequenceStrategyDeclaration;

pub(in crate::sequences) const DIRECT: SequenceStrategyDeclaration =
    SequenceStrategyDeclaration::Direct {
        max_queue_delay_microseconds: 0,
        minimum_slot_utilization: 0.0,
    };

pub(in crate::sequences) const fn oldest(slots: u32) -> SequenceStrategyDeclaration {
    SequenceStrategyDeclaration::Oldest {
        max_candidate_sequences: slots,
        preferred_batch_size: &[],
        max_queue_delay_microseconds: 0,
        preserve_ordering: false,
    }
}

const STRATEGIES: [SequenceStrategyDeclaration; 2] = [DIRECT, oldest(0)];
