use std::sync::Arc;

use pytriton_core::model::ModelSpec;
use pytriton_core::request::{Response, TraceEvents};

use crate::trace_extension::Timeline;

/// Records trace events for the responses to a sampled request, and its end when dropped.
#[derive(Debug)]
pub(super) struct ResponseTrace {
    timeline: Arc<Timeline>,
    model: Arc<ModelSpec>,
}

impl ResponseTrace {
    pub(super) fn new(timeline: &Arc<Timeline>, model: &Arc<ModelSpec>) -> Self {
        Self {
            timeline: Arc::clone(timeline),
            model: Arc::clone(model),
        }
    }

    pub(super) fn responded(&self, response: &Response) {
        self.timeline.responded(&self.model, response);
    }
}

impl Drop for ResponseTrace {
    fn drop(&mut self) {
        for name in ["REQUEST_END", "HTTP_SEND_START", "HTTP_SEND_END"] {
            self.timeline.now(name);
        }
    }
}
