use std::sync::Arc;

use crate::ffi::Batch;
use crate::session::TensorNames;
use crate::started_sequences::{Refusal, StartedSequences};

/// The model of a session's instance.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) names: Arc<TensorNames>,
    pub(super) started: Arc<StartedSequences>,
    /// Identifies the model in Triton, with all of its instances.
    pub(super) loaded_model: usize,
}

impl Model {
    /// Records that the requests of a batch at these positions were refused.
    pub(super) fn note_refused(&self, batch: &Batch, positions: &[usize], refusal: Refusal) {
        let requests = positions.iter().filter_map(|&index| batch.request(index));
        for sequence in requests.filter_map(|request| request.sequence().ok()?) {
            self.started.refuse(&sequence, refusal);
        }
    }
}
