use std::sync::Arc;

use super::batch::Batch;
use super::executor::Executor;
use super::unfinished_batches::{BatchGuard, UnfinishedBatches};
use crate::failure::Failure;
use crate::instance::Instance;
use crate::readiness::{self, Registration};

/// An instance that Triton has initialized and not finalized.
#[derive(Debug)]
pub(super) struct LoadedInstance<E> {
    // Drop order: first the executor receives no more readiness queries, then it completes its
    // batches and ends. Sessions of other instances may still hold batches of this one, so these
    // are awaited last.
    readiness: Registration,
    executor: Arc<E>,
    unfinished: UnfinishedBatches,
}

impl<E: Executor> LoadedInstance<E> {
    /// Starts the executor of an instance.
    ///
    /// # Errors
    ///
    /// Same as [`Executor::start`].
    pub(super) fn start(instance: &Instance) -> Result<Self, Failure> {
        Ok(Self::of(E::start(instance)?, instance))
    }

    /// Wraps an executor that was started for an instance.
    pub(super) fn of(executor: E, instance: &Instance) -> Self {
        let executor = Arc::new(executor);
        let is_ready = {
            let executor = Arc::clone(&executor);
            move || executor.is_ready()
        };
        Self {
            readiness: readiness::register(instance, is_ready),
            executor,
            unfinished: UnfinishedBatches::default(),
        }
    }

    /// Counts a batch that Triton gives to the instance.
    pub(super) fn enter(&self) -> BatchGuard {
        self.unfinished.enter()
    }

    /// Executes a batch.
    pub(super) fn execute(&self, batch: Batch) {
        self.executor.execute(batch);
    }

    /// Returns the readiness to report to Triton: whether any instance of the model is ready,
    /// according to [`readiness`].
    pub(super) fn model_is_ready(&self) -> bool {
        self.readiness.model_is_ready()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    use crate::ffi::simulated::{SimulatedRequest, exclusive, forwarding_instance};

    use super::*;

    #[test]
    fn every_instance_reports_the_readiness_of_its_model() {
        let _exclusive = exclusive();
        for count in 1..=3 {
            let instances: Vec<_> = (0..count).map(|_| forwarding_instance(1)).collect();
            let (other, _kept, other_ready) = forwarding_instance(2);
            for states in 0..1_u32 << count {
                for (index, (_, _, ready)) in instances.iter().enumerate() {
                    ready.store(states & (1 << index) != 0, Ordering::Relaxed);
                }
                other_ready.store(states == 0, Ordering::Relaxed);
                let ready = instances.iter().map(|(instance, _, _)| instance.is_ready());
                let expected = vec![states != 0; count];
                assert_eq!(ready.collect::<Vec<_>>(), expected, "{states:b}");
                assert_eq!(other.is_ready(), states == 0);
            }
        }
    }

    #[test]
    fn instance_is_finalized_after_its_last_batch() {
        let _exclusive = exclusive();
        for count in [0, 1, 3] {
            let (instance, kept, _ready) = forwarding_instance(1);
            let requests: Vec<_> = (0..count)
                .map(|_| SimulatedRequest::new(0, "", 1.0))
                .collect();
            for request in &requests {
                instance.execute(&[request]);
            }
            // As if another instance had them.
            let batches: Vec<Batch> = kept.try_iter().collect();
            let (finalized, is_finalized) = channel();
            let finalizing = thread::spawn(move || {
                let instance = instance.finalize();
                finalized.send(()).unwrap();
                instance
            });
            let mut answered = Vec::new();
            for mut batch in batches {
                let early = is_finalized.recv_timeout(Duration::from_millis(20));
                assert!(early.is_err(), "a batch is not answered");
                batch.fail_all(&Failure::internal("done"));
                batch.send();
                // A completed batch may be kept.
                answered.push(batch);
            }
            is_finalized.recv_timeout(Duration::from_secs(10)).unwrap();
            let instance = finalizing.join().unwrap();
            assert_eq!(instance.reported.load(Ordering::Relaxed), count);
            let outcomes = requests.iter().map(|request| request.outcome());
            assert!(outcomes.flatten().all(|outcome| outcome.is_err()));
        }
    }
}
