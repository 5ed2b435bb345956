use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use crate::panic::discard;
use crate::request::{Request, Sequence, SequenceId};

use super::execute::caught;
use super::states::{Kept, State, States};
use super::{Call, Context, Execution, Instance, Limit, ModelError, Returned, Start, Started};

/// A function that takes a state for each sequence.
pub trait Starts {
    /// Makes the state of a sequence that starts.
    ///
    /// # Errors
    ///
    /// Whatever the user's function says instead.
    fn start(&self, start: &Start<'_>) -> Started;
}

/// An instance of a model whose function takes a state for each sequence, with the states.
pub struct Sequenced<I> {
    states: RefCell<States>,
    instance: I,
}

/// The states of an instance's sequences, and what makes them.
#[derive(Clone, Copy)]
pub struct Sequences<'a> {
    states: &'a RefCell<States>,
    starts: &'a dyn Starts,
    limit: Option<&'a dyn Limit>,
}

/// What nobody needs any more. It is the user's what happens when it is dropped.
#[must_use]
pub(crate) struct Spent(Vec<State>);

/// Why there is no state of a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// The function panicked while it had it.
    Panicked,
    /// The function was given up while it had it.
    TooLong,
    /// Its instance was in a call that took too long, and its requests were refused meanwhile.
    Stalled,
    /// It could not be made.
    NotStarted,
    /// The instance never had it, or does not know.
    Unknown,
}

impl<I: Instance + Starts> Sequenced<I> {
    /// An instance without sequences as yet.
    pub fn new(context: &Context, instance: I) -> Self {
        Self {
            states: RefCell::new(States::new(context.model())),
            instance,
        }
    }
}

/// Its states stay on its thread, and so it does.
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
    /// The same where something sees to how long the user's functions take.
    pub(crate) fn within(self, limit: &'a dyn Limit) -> Self {
        let limit = Some(limit);
        Self { limit, ..self }
    }
}

impl Sequences<'_> {
    /// Notes that the instance waits for the next batch; what is to be dropped, and when there may be more of it.
    pub(crate) fn rest(&self, now: Instant) -> (Spent, Option<Instant>) {
        let (states, next) = self.states.borrow_mut().rest(now);
        (Spent(states), next)
    }

    /// Notes that the instance has hung: nobody knows which requests it has not got meanwhile, where a server of its own
    /// hands them on.
    pub(crate) fn hung(&self) {
        self.states.borrow_mut().lose(Loss::Stalled);
    }

    /// Waits until a sequence is over, whose state is to be dropped.
    pub(crate) async fn over(&self) {
        poll_fn(|task| self.states.borrow_mut().poll_over(task)).await;
    }

    /// Notes that a batch has come.
    pub(crate) fn work(&self, now: Instant) {
        self.states.borrow_mut().work(now);
    }

    /// Forgets all sequences; what is to be dropped.
    #[cfg(tritonserver)]
    pub(crate) fn forget(&self) -> Spent {
        Spent(self.states.borrow_mut().forget())
    }

    /// The state for a request, the last of so many, which is made where its sequence starts.
    fn lend(&self, context: &Context, request: &Request, requests: usize) -> Started {
        let Some(sequence) = request.sequence() else {
            return Err(lost(context, &SequenceId::default(), Loss::Unknown));
        };
        let kept = self.states.borrow_mut().take(sequence);
        let loss = match (kept, sequence.starts()) {
            (Some(Kept::State(state)), false) => return Ok(state),
            (kept, true) => {
                let before = kept.and_then(Kept::state);
                return self.start(context, sequence, (requests, before));
            }
            (Some(Kept::Lost(loss)), false) => loss,
            (None, false) => Loss::Unknown,
        };
        self.lose(sequence, loss);
        Err(lost(context, sequence.id(), loss))
    }

    /// Makes a state in the place of what was there.
    fn start(
        &self,
        context: &Context,
        sequence: &Sequence,
        (requests, mut before): (usize, Option<State>),
    ) -> Started {
        let mut started = None;
        let mut start = || {
            before.take().into_iter().for_each(let_go);
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
                    message: caught(panic),
                },
            ),
            (Ok(()), None) => (Loss::Unknown, lost(context, sequence.id(), Loss::Unknown)),
            (Err(error), _) => (Loss::TooLong, error),
        };
        if let Some(before) = before {
            self.states.borrow_mut().spend(before);
        }
        self.lose(sequence, loss);
        Err(error)
    }

    /// Remembers why there is no state, as long as the sequence goes on.
    fn lose(&self, sequence: &Sequence, loss: Loss) {
        if !sequence.ends() {
            let mut states = self.states.borrow_mut();
            states.keep(sequence, Kept::Lost(loss));
        }
    }
}

/// Lends the states of sequences to the calls of a batch.
pub(super) struct Lending<'a> {
    sequences: Option<Sequences<'a>>,
    /// The states of the next requests, which an earlier call had and has not used.
    unused: VecDeque<RefCell<State>>,
    /// Why the next request cannot be called.
    refused: Option<ModelError>,
}

/// The states that a call has.
pub(super) struct Loan<'a> {
    sequences: Sequences<'a>,
    /// In the order of its requests.
    states: Vec<RefCell<State>>,
}

impl<'a> Lending<'a> {
    pub(super) fn new(sequences: Option<Sequences<'a>>) -> Self {
        Self {
            sequences,
            unused: VecDeque::new(),
            refused: None,
        }
    }

    /// The first requests of a run that can be called together, with their states; or the first alone, and why it has none.
    pub(super) fn lend<'r>(
        &mut self,
        context: &Context,
        run: &'r [Request],
    ) -> (&'r [Request], Result<Option<Loan<'a>>, ModelError>) {
        let Some(sequences) = self.sequences else {
            return (run, Ok(None));
        };
        let mut states = Vec::new();
        states.extend(self.unused.drain(..self.unused.len().min(run.len())));
        if states.is_empty() && self.refused.is_none() {
            for request in run {
                match sequences.lend(context, request, states.len() + 1) {
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
        (run, Ok(Some(Loan { sequences, states })))
    }

    /// Takes back the states of a call that has not used them, for calls of one request each.
    pub(super) fn take_back(&mut self, loan: Option<Loan<'a>>) {
        self.unused = loan.map(|loan| loan.states).unwrap_or_default().into();
    }

    /// Notes that requests will not be called: what they start does not begin.
    pub(super) fn refuse(&mut self, requests: &[Request]) {
        let Some(sequences) = self.sequences else {
            return;
        };
        for state in self.unused.drain(..) {
            sequences.states.borrow_mut().spend(state.into_inner());
        }
        let started = requests.iter().filter_map(Request::sequence);
        for sequence in started.filter(|sequence| sequence.starts()) {
            sequences.lose(sequence, Loss::TooLong);
        }
    }
}

impl Loan<'_> {
    pub(super) fn states(&self) -> &[RefCell<State>] {
        &self.states
    }

    /// Gives the states back after a call: those of sequences that go on are kept, if the call has left them whole.
    pub(super) fn give_back(self, requests: &[Request], returned: &Result<Returned, ModelError>) {
        let loss = Loss::of(returned);
        let states = self.states.into_iter().map(RefCell::into_inner);
        let lent = requests.iter().zip(states);
        for (request, state) in lent {
            let Some(sequence) = request.sequence() else {
                continue;
            };
            match loss {
                None if !sequence.ends() => {
                    let mut states = self.sequences.states.borrow_mut();
                    states.keep(sequence, Kept::State(state));
                }
                loss => {
                    if let Some(loss) = loss {
                        self.sequences.lose(sequence, loss);
                    }
                    self.sequences.states.borrow_mut().spend(state);
                }
            }
        }
    }
}

impl Loss {
    /// Whether a call that came to this has left its states half-way.
    fn of(returned: &Result<Returned, ModelError>) -> Option<Self> {
        let error = match returned {
            Err(error) => error,
            Ok(Returned::Parts(parts)) => {
                parts.iter().find_map(|part| part.outputs.as_ref().err())?
            }
            Ok(_) => return None,
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
            Self::NotStarted => "it could not be made",
            Self::Unknown => "the instance does not have it, as after a restart",
        })
    }
}

fn lost(context: &Context, sequence: &SequenceId, loss: Loss) -> ModelError {
    ModelError::SequenceLost {
        model: Arc::clone(&context.model().name),
        sequence: sequence.clone(),
        loss,
    }
}

/// Drops a state, which is the user's.
fn let_go(state: State) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(state))) {
        discard(panic);
    }
}

impl Spent {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Drop for Spent {
    fn drop(&mut self) {
        self.0.drain(..).for_each(let_go);
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
