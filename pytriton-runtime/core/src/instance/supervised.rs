use std::future::{pending, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use tokio::time::sleep_until;

use crate::call::{Call, Execution, Instance, Limit, ModelError, Sequences};

use super::supervisor::{Calling, Supervisor};

/// An instance during one batch, whose calls each have a time limit.
#[derive(Debug)]
pub(super) struct Supervised<'a, I: ?Sized> {
    instance: &'a I,
    supervisor: &'a Arc<Supervisor>,
    batch: u64,
}

impl<'a, I: ?Sized> Supervised<'a, I> {
    pub(super) fn new(instance: &'a I, supervisor: &'a Arc<Supervisor>, batch: u64) -> Self {
        Self {
            instance,
            supervisor,
            batch,
        }
    }

    fn is_over(&self, deadline: Option<Instant>) -> bool {
        deadline.is_some_and(|deadline| deadline <= Instant::now())
            || self.supervisor.is_completed(self.batch)
    }
}

impl<I: Instance + ?Sized> Instance for Supervised<'_, I> {
    /// Drops the call at its time limit, provided that the function yields.
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async {
            // An earlier group of the batch has exceeded the limit, so the batch is already
            // completed.
            if self.supervisor.is_completed(self.batch) {
                return Err(self.supervisor.too_long());
            }
            let calling = Calling {
                batch: self.batch,
                requests: call.requests().len(),
                begun: Instant::now(),
            };
            let deadline = self.supervisor.deadline(calling.begun);
            let mut limit = pin!(async {
                match deadline {
                    Some(deadline) => sleep_until(deadline.into()).await,
                    None => pending().await,
                }
            });
            let mut execution = None;
            poll_fn(|task| {
                let begun = execution.is_some();
                if !begun || !self.is_over(deadline) {
                    let _guard = self.supervisor.watch(deadline, calling);
                    let execution = execution.get_or_insert_with(|| self.instance.execute(call));
                    if let Poll::Ready(returned) = execution.as_mut().poll(task) {
                        return Poll::Ready(returned);
                    }
                }
                if !self.is_over(deadline) && limit.as_mut().poll(task).is_pending() {
                    return Poll::Pending;
                }
                // Dropping the future runs user code, which may also take long.
                let deadline = self.supervisor.deadline(Instant::now());
                let _guard = self.supervisor.watch(deadline, calling);
                execution = None;
                Poll::Ready(Err(self.supervisor.too_long()))
            })
            .await
        })
    }

    fn sequences(&self) -> Option<Sequences<'_>> {
        let sequences = self.instance.sequences()?;
        Some(sequences.within(self))
    }
}

impl<I: Instance + ?Sized> Limit for Supervised<'_, I> {
    fn run(&self, requests: usize, something: &mut dyn FnMut()) -> Result<(), ModelError> {
        if self.supervisor.is_completed(self.batch) {
            return Err(self.supervisor.too_long());
        }
        let calling = Calling {
            batch: self.batch,
            requests,
            begun: Instant::now(),
        };
        let deadline = self.supervisor.deadline(calling.begun);
        let _guard = self.supervisor.watch(deadline, calling);
        something();
        Ok(())
    }
}
