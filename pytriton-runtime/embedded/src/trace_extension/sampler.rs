use std::mem::take;
use std::sync::Arc;

use parking_lot::Mutex;
use pytriton_kserve::TraceLevel;

use super::writer::{Place, Writer};
use super::{Destination, TraceSettings};

/// The size of buffered records above which they are written early.
const MAX_BUFFERED_BYTES: usize = 4 << 20;

/// Active settings and their progress.
#[derive(Debug)]
pub(super) struct Sampler {
    settings: TraceSettings,
    writer: Arc<Writer>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    left: i32,
    seen: u64,
    sampled: u64,
    collected: u64,
    /// Records that are not written yet, and the number of their traces.
    text: String,
    traces: u32,
}

impl Sampler {
    pub(super) fn new(settings: TraceSettings, writer: &Arc<Writer>) -> Arc<Self> {
        let state = State {
            left: settings.count,
            ..State::default()
        };
        Arc::new(Self {
            settings,
            writer: Arc::clone(writer),
            state: Mutex::new(state),
        })
    }

    /// Returns the level. Spans have only timestamps.
    pub(super) fn level(&self) -> TraceLevel {
        let TraceLevel {
            timestamps,
            tensors,
        } = self.settings.level;
        let tensors = tensors && matches!(self.settings.destination, Destination::File(_));
        TraceLevel {
            timestamps,
            tensors,
        }
    }

    pub(super) fn writer(&self) -> &Writer {
        &self.writer
    }

    /// Returns the settings, with the remaining count.
    pub(super) fn settings(&self) -> TraceSettings {
        TraceSettings {
            count: self.state.lock().left,
            ..self.settings.clone()
        }
    }

    /// Returns whether requests of a client's trace are traced regardless of rate and count.
    pub(super) fn is_for_traces(&self) -> bool {
        matches!(self.settings.destination, Destination::Collector(_)) && self.is_on()
    }

    /// Returns whether any request is traced.
    pub(super) fn is_on(&self) -> bool {
        !self.settings.level.is_off() && self.settings.destination.is_given()
    }

    /// Returns whether the next request is traced. `wanted`: it is in a client's trace.
    pub(super) fn samples(&self, wanted: bool) -> bool {
        let rate = u64::from(self.settings.rate);
        if !self.is_on() || rate == 0 {
            return wanted;
        }
        let mut state = self.state.lock();
        state.seen += 1;
        let is_turn = state.left != 0 && state.seen.is_multiple_of(rate);
        state.left -= i32::from(is_turn && state.left > 0);
        state.sampled += u64::from(is_turn || wanted);
        is_turn || wanted
    }

    /// Adds the records of a trace. Returns the records to write now, and the file.
    pub(super) fn collect(&self, records: &str) -> Option<(String, Place)> {
        let mut state = self.state.lock();
        if !state.text.is_empty() && !records.is_empty() {
            state.text.push(',');
        }
        state.text.push_str(records);
        state.traces += 1;
        state.collected += 1;
        let frequency = self.settings.log_frequency;
        let last = state.left == 0 && state.collected == state.sampled;
        let place = match (
            last || frequency != 0 && state.traces >= frequency,
            frequency,
        ) {
            (true, _) => Place::Next,
            (false, 0) if state.text.len() >= MAX_BUFFERED_BYTES => Place::Whole,
            (false, _) if state.text.len() >= MAX_BUFFERED_BYTES => Place::Next,
            _ => return None,
        };
        state.traces = 0;
        Some((take(&mut state.text), place))
    }
}

impl Drop for Sampler {
    /// Writes the remaining records when the last reference is dropped.
    fn drop(&mut self) {
        let place = match self.settings.log_frequency {
            0 => Place::Whole,
            _ => Place::Next,
        };
        let text = take(&mut self.state.lock().text);
        if !text.is_empty() {
            self.writer.rest(text, place);
        }
    }
}
