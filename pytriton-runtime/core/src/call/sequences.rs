use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use crate::panic::discard;
use crate::request::{Request, Sequence, SequenceId};

use super::client_panic::client_panic_message;
use super::sequence_entry::{SequenceEntry, State};
use super::states::States;
use super::{Call, CallResult, Context, Execution, Instance, Limit, ModelError, Start, Started};

/// A function that takes a state for each sequence.
pub trait Starts {
    /// Creates the state of a new sequence.
    ///
    /// # Errors
    ///
    /// Returns the error of the user's function.
    fn start(&self, start: &Start<'_>) -> Started;
}

/// An instance of a model whose function takes a state for each sequence, and the states.
pub struct Sequenced<I> {
    states: RefCell<States>,
    instance: I,
}

/// The states of an instance's sequences, and the function that creates them.
#[derive(Clone, Copy)]
pub struct Sequences<'a> {
    states: &'a RefCell<States>,
    starts: &'a dyn Starts,
    limit: Option<&'a dyn Limit>,
}

/// States that are no longer needed. Dropping them runs user code.
#[must_use]
#[derive(Debug)]
pub struct ObsoleteStates(Vec<State>);

/// Why a sequence has no state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// The function panicked while it used the state.
    Panicked,
    /// The function exceeded its limit while it used the state.
    TooLong,
    /// The instance was stalled, and requests of the sequence were refused meanwhile.
    Stalled,
    /// The state could not be created.
    NotStarted,
    /// The instance never had the state, or has forgotten it.
    Unknown,
}

impl<I: Instance + Starts> Sequenced<I> {
    /// Creates an instance without sequences.
    pub fn new(context: &Context, instance: I) -> Self {
        Self {
            states: RefCell::new(States::new(context.model())),
            instance,
        }
    }
}

/// The states are not `Send`, so the instance stays on its thread.
impl<I: Instance + Starts> Instance for Sequenced<I> {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        self.instance.execute(call)
    }

    fn is_async(&self) -> bool {
        self.instance.is_async()
    }

    fn sequences(&self) -> Option<Sequences<'_>> {
        Some(Sequences {
            states: &self.states,
            starts: &self.instance,
            limit: None,
        })
    }
}

impl<'a> Sequences<'a> {
    /// Limits the duration of the user's functions.
    pub fn within(self, limit: &'a dyn Limit) -> Self {
        let limit = Some(limit);
        Self { limit, ..self }
    }
}

impl Sequences<'_> {
    /// Records that the instance waits for the next batch. Returns the states to drop, and when to
    /// call this again.
    pub fn collect_expired(&self, now: Instant) -> (ObsoleteStates, Option<Instant>) {
        let (states, next) = self.states.borrow_mut().collect_expired(now);
        (ObsoleteStates(states), next)
    }

    /// Records that the instance was stalled. A server that schedules sequences itself may have
    /// refused requests meanwhile, so all states are lost.
    pub fn mark_stalled(&self) {
        self.states.borrow_mut().mark_lost(Loss::Stalled);
    }

    /// Waits until a sequence ends and its state can be dropped.
    pub async fn ended(&self) {
        poll_fn(|task| self.states.borrow_mut().poll_ended(task)).await;
    }

    /// Records that a batch has arrived.
    pub fn note_batch(&self, now: Instant) {
        self.states.borrow_mut().note_batch(now);
    }

    /// Removes all sequences and returns the states to drop.
    pub fn clear(&self) -> ObsoleteStates {
        ObsoleteStates(self.states.borrow_mut().clear())
    }

    /// Takes the state for a request, the last of `requests`. Creates it if the request starts its
    /// sequence.
    fn take_state(&self, context: &Context, request: &Request, requests: usize) -> Started {
        let Some(sequence) = request.sequence() else {
            return Err(lost_error(context, &SequenceId::default(), Loss::Unknown));
        };
        let entry = self.states.borrow_mut().take(sequence);
        let loss = match (entry, sequence.starts()) {
            (Some(SequenceEntry::State(state)), false) => return Ok(state),
            (entry, true) => {
                let before = entry.and_then(SequenceEntry::state);
                return self.start(context, sequence, (requests, before));
            }
            (Some(SequenceEntry::Lost(loss)), false) => loss,
            (None, false) => Loss::Unknown,
        };
        self.mark_lost(sequence, loss);
        Err(lost_error(context, sequence.id(), loss))
    }

    /// Creates a state. Drops the previous one first.
    fn start(
        &self,
        context: &Context,
        sequence: &Sequence,
        (requests, mut before): (usize, Option<State>),
    ) -> Started {
        let mut started = None;
        let mut start = || {
            before.take().into_iter().for_each(drop_state);
            let start = Start { context, sequence };
            started = Some(catch_unwind(AssertUnwindSafe(|| self.starts.start(&start))));
        };
        let limited = match self.limit {
            Some(limit) => limit.run(requests, &mut start),
            None => {
                start();
                Ok(())
            }
        };
        let (loss, error) = match (limited, started) {
            (Ok(()), Some(Ok(Ok(state)))) => return Ok(state),
            (Ok(()), Some(Ok(Err(error)))) => (Loss::NotStarted, error),
            (Ok(()), Some(Err(panic))) => (
                Loss::NotStarted,
                ModelError::Panic {
                    model: Arc::clone(&context.model().name),
                    message: client_panic_message(panic),
                },
            ),
            (Ok(()), None) => (
                Loss::Unknown,
                lost_error(context, sequence.id(), Loss::Unknown),
            ),
            (Err(error), _) => (Loss::TooLong, error),
        };
        if let Some(before) = before {
            self.states.borrow_mut().drop_later(before);
        }
        self.mark_lost(sequence, loss);
        Err(error)
    }

    /// Remembers why there is no state until the sequence ends.
    fn mark_lost(&self, sequence: &Sequence, loss: Loss) {
        if !sequence.ends() {
            let mut states = self.states.borrow_mut();
            states.keep(sequence, SequenceEntry::Lost(loss));
        }
    }
}

/// Passes the states of sequences to the calls of a batch.
pub(super) struct StateProvider<'a> {
    sequences: Option<Sequences<'a>>,
    /// The states of the next requests, from an earlier call that did not use them.
    unused: VecDeque<RefCell<State>>,
    /// Why the next request cannot be executed.
    refused: Option<ModelError>,
}

/// The states used by a call.
pub(super) struct CallStates<'a> {
    sequences: Sequences<'a>,
    /// The states in the order of the requests.
    states: Vec<RefCell<State>>,
}

impl<'a> StateProvider<'a> {
    pub(super) fn new(sequences: Option<Sequences<'a>>) -> Self {
        Self {
            sequences,
            unused: VecDeque::new(),
            refused: None,
        }
    }

    /// Returns the first requests of a run that can be called together, with their states. If the
    /// first one has no state, returns only that one with the error.
    pub(super) fn acquire<'r>(
        &mut self,
        context: &Context,
        run: &'r [Request],
    ) -> (&'r [Request], Result<Option<CallStates<'a>>, ModelError>) {
        let Some(sequences) = self.sequences else {
            return (run, Ok(None));
        };
        let mut states = Vec::new();
        states.extend(self.unused.drain(..self.unused.len().min(run.len())));
        if states.is_empty() && self.refused.is_none() {
            for request in run {
                match sequences.take_state(context, request, states.len() + 1) {
                    Ok(state) => states.push(RefCell::new(state)),
                    Err(error) => {
                        self.refused = Some(error);
                        break;
                    }
                }
            }
        }
        if states.is_empty()
            && let Some(error) = self.refused.take()
        {
            return (&run[..1], Err(error));
        }
        let run = &run[..states.len()];
        (run, Ok(Some(CallStates { sequences, states })))
    }

    /// Takes back the states of a call that did not use them, for separate calls of its requests.
    pub(super) fn reclaim(&mut self, call_states: Option<CallStates<'a>>) {
        let states = call_states.map(|call_states| call_states.states);
        // Before those of later requests, which an earlier call may have left.
        for state in states.unwrap_or_default().into_iter().rev() {
            self.unused.push_front(state);
        }
    }

    /// Records that requests will not be executed, so that sequences that they start are lost.
    pub(super) fn refuse(&mut self, requests: &[Request]) {
        let Some(sequences) = self.sequences else {
            return;
        };
        for state in self.unused.drain(..) {
            sequences.states.borrow_mut().drop_later(state.into_inner());
        }
        let started = requests.iter().filter_map(Request::sequence);
        for sequence in started.filter(|sequence| sequence.starts()) {
            sequences.mark_lost(sequence, Loss::TooLong);
        }
    }
}

impl CallStates<'_> {
    pub(super) fn states(&self) -> &[RefCell<State>] {
        &self.states
    }

    /// Returns the states after a call. The states of ongoing sequences are kept unless the call
    /// has left them inconsistent.
    pub(super) fn release(self, requests: &[Request], returned: &CallResult) {
        let loss = Loss::of(returned);
        let states = self.states.into_iter().map(RefCell::into_inner);
        let pairs = requests.iter().zip(states);
        for (request, state) in pairs {
            let Some(sequence) = request.sequence() else {
                continue;
            };
            match loss {
                None if !sequence.ends() => {
                    let mut states = self.sequences.states.borrow_mut();
                    states.keep(sequence, SequenceEntry::State(state));
                }
                loss => {
                    if let Some(loss) = loss {
                        self.sequences.mark_lost(sequence, loss);
                    }
                    self.sequences.states.borrow_mut().drop_later(state);
                }
            }
        }
    }
}

impl Loss {
    /// Returns the reason if a call with this result may have left its states inconsistent.
    fn of(returned: &CallResult) -> Option<Self> {
        let error = match returned {
            Err(error) => error,
            Ok(outputs) => outputs.errors().next()?,
        };
        match error {
            ModelError::Panic { .. } => Some(Self::Panicked),
            ModelError::CallTooLong { .. } => Some(Self::TooLong),
            _ => None,
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Panicked => "the function panicked",
            Self::TooLong | Self::Stalled => "a call took too long",
            Self::NotStarted => "it could not be created",
            Self::Unknown => "the instance does not have it, as after a restart",
        })
    }
}

fn lost_error(context: &Context, sequence: &SequenceId, loss: Loss) -> ModelError {
    ModelError::SequenceLost {
        model: Arc::clone(&context.model().name),
        sequence: sequence.clone(),
        loss,
    }
}

/// Drops a state, which runs user code.
fn drop_state(state: State) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(state))) {
        discard(panic);
    }
}

impl ObsoleteStates {
    /// Returns whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Drop for ObsoleteStates {
    fn drop(&mut self) {
        self.0.drain(..).for_each(drop_state);
    }
}

impl<I> fmt::Debug for Sequenced<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sequenced")
            .field("states", &self.states)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Sequences<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sequences")
            .field("states", self.states)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[path = "sequences_tests.rs"]
mod tests;
