use std::fmt;
use std::mem;
use std::sync::Arc;
use std::thread;

use thiserror::Error;
use tokio::sync::watch;

use crate::call::Health;

/// The instances of a model: how many exist, and how many of them are stalled.
pub struct Instances {
    model: Arc<str>,
    count: watch::Sender<Count>,
    /// The fatal error of the model.
    fatal_error: watch::Sender<Option<FatalError>>,
    changed: Box<dyn Fn(Change) + Send + Sync>,
}

/// A fatal error: the model can never respond again.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("model '{model}' has a fatal error: {reason}")]
pub struct FatalError {
    /// The model.
    pub model: Arc<str>,
    /// The last message of its function.
    pub reason: String,
}

#[derive(Debug, Clone, Copy, Default)]
struct Count {
    alive: usize,
    stalled: usize,
    /// Whether a fatal error has occurred.
    broken: bool,
}

/// Whether a model has an instance for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    /// An instance is available.
    Ready,
    /// Every instance is in a call that exceeds its time limit.
    Stalled,
    /// There is no instance.
    Gone,
}

/// A change of an instance: it starts, ends, stalls or recovers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// The instance; `None` for all of them.
    pub instance: Option<u32>,
    /// Whether it accepts requests from now on.
    pub is_available: bool,
    /// The availability of the model from now on.
    pub availability: Availability,
}

impl Instances {
    /// Creates an empty set. `changed` is called for every change, on the thread that makes it,
    /// before the change is visible. It must neither block nor query the instances.
    pub fn new(model: Arc<str>, changed: impl Fn(Change) + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self {
            model,
            count: watch::Sender::new(Count::default()),
            fatal_error: watch::Sender::new(None),
            changed: Box::new(changed),
        })
    }

    /// Counts an instance until the returned guard is dropped.
    pub fn enter(self: &Arc<Self>, instance: u32) -> InstanceGuard {
        self.change(instance, true, |count| count.alive += 1);
        InstanceGuard {
            instances: Arc::clone(self),
            instance,
        }
    }

    /// Returns whether one of them accepts requests.
    #[inline]
    pub fn availability(&self) -> Availability {
        self.count.borrow().availability()
    }

    /// Counts an instance as stalled.
    pub(super) fn mark_stalled(&self, instance: u32) {
        self.change(instance, false, |count| count.stalled += 1);
    }

    /// Counts an instance as recovered.
    pub(super) fn mark_recovered(&self, instance: u32) {
        let back = |count: &mut Count| count.stalled = count.stalled.saturating_sub(1);
        self.change(instance, true, back);
    }

    /// Returns a handle that accepts fatal errors. It holds only a weak reference.
    pub fn health(self: &Arc<Self>) -> Health {
        let instances = Arc::downgrade(self);
        Health::new(move |reason| {
            if let Some(instances) = instances.upgrade() {
                instances.record_fatal_error(reason);
            }
        })
    }

    /// Records a fatal error: no instance accepts requests from now on.
    fn record_fatal_error(&self, reason: String) {
        // A second caller also responds to its request, so it waits here until the change is
        // visible.
        let is_first = self.count.send_if_modified(|count| {
            let is_first = !mem::replace(&mut count.broken, true);
            if is_first {
                (self.changed)(Change {
                    instance: None,
                    is_available: false,
                    availability: count.availability(),
                });
            }
            is_first
        });
        if is_first {
            let fatal_error = FatalError {
                model: Arc::clone(&self.model),
                reason,
            };
            tracing::error!("{fatal_error}");
            self.fatal_error.send_replace(Some(fatal_error));
        }
    }

    /// Returns whether a fatal error has occurred.
    pub fn is_broken(&self) -> bool {
        self.count.borrow().broken
    }

    /// Resolves to the fatal error once one occurs, or to `None` if the instances end before.
    pub fn broken(&self) -> impl Future<Output = Option<FatalError>> + Send + use<> {
        let mut fatal_error = self.fatal_error.subscribe();
        async move { fatal_error.wait_for(Option::is_some).await.ok()?.clone() }
    }

    /// Waits until only stalled instances are left.
    pub async fn ended(&self) {
        let mut counts = self.count.subscribe();
        // This value owns the sender, so it cannot be gone.
        let _ = counts.wait_for(|count| count.alive <= count.stalled).await;
    }

    fn change(&self, instance: u32, is_available: bool, change: impl FnOnce(&mut Count)) {
        self.count.send_modify(|count| {
            change(count);
            (self.changed)(Change {
                instance: Some(instance),
                is_available,
                availability: count.availability(),
            });
        });
    }
}

impl Count {
    fn availability(self) -> Availability {
        match self {
            Self { alive: 0, .. } | Self { broken: true, .. } => Availability::Gone,
            Self { alive, stalled, .. } if alive <= stalled => Availability::Stalled,
            _ => Availability::Ready,
        }
    }
}

impl fmt::Debug for Instances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instances")
            .field("model", &self.model)
            .field("count", &self.count.borrow())
            .finish_non_exhaustive()
    }
}

/// Counts an instance until dropped.
#[derive(Debug)]
pub struct InstanceGuard {
    instances: Arc<Instances>,
    instance: u32,
}

impl InstanceGuard {
    /// Records that the instance ended in a panic outside its function.
    pub fn end_in_panic(self) {
        self.log_panic();
    }

    fn log_panic(&self) {
        let (model, instance) = (&*self.instances.model, self.instance);
        tracing::error!(model, instance, "the instance ended with a panic");
    }
}

impl Drop for InstanceGuard {
    fn drop(&mut self) {
        let instances = &self.instances;
        let ended = |count: &mut Count| count.alive = count.alive.saturating_sub(1);
        instances.change(self.instance, false, ended);
        if thread::panicking() {
            self.log_panic();
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::error::ErrorKind;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use parking_lot::Mutex;

    use crate::call::ModelError;

    use super::*;

    #[test]
    fn every_change_reports_the_availability() {
        use Availability::{Gone, Ready};
        let reported = Arc::new(Mutex::new(Vec::new()));
        let instances = Instances::new("Model".into(), {
            let reported = Arc::clone(&reported);
            move |Change {
                      instance,
                      is_available,
                      availability,
                  }| {
                reported.lock().push((instance, is_available, availability));
            }
        });
        assert_eq!(instances.availability(), Gone);
        let one = instances.enter(0);
        let other = instances.enter(1);
        let ended = thread::spawn(move || {
            let _one = one;
            panic!("of its own");
        });
        ended.join().unwrap_err();
        drop(other);
        let expected = [
            (Some(0), true, Ready),
            (Some(1), true, Ready),
            (Some(0), false, Ready),
            (Some(1), false, Gone),
        ];
        assert_eq!(*reported.lock(), expected);
    }

    #[tokio::test]
    async fn no_instance_accepts_requests_after_a_fatal_error() {
        let instances = Instances::new("Model".into(), |_| {});
        let _present = [instances.enter(0), instances.enter(1)];
        let lost = |message: &str| ModelError::Function {
            model: "Model".into(),
            kind: ErrorKind::Unrecoverable,
            message: message.to_owned(),
            retry_after: None,
        };
        let panic = ModelError::Panic {
            model: "Model".into(),
            message: "now and then".to_owned(),
        };
        instances.health().note(&panic, false);
        assert_eq!(instances.availability(), Availability::Ready);
        instances.health().note(&lost("one"), false);
        instances.health().note(&lost("two"), false);
        assert_eq!(instances.availability(), Availability::Gone);
        let fatal_error = instances.broken().await.unwrap().to_string();
        let expected = "model 'Model' has a fatal error: model 'Model' failed: one";
        assert_eq!(fatal_error, expected);
        let _late = instances.enter(2);
        assert_eq!(instances.availability(), Availability::Gone);
    }

    #[test]
    fn a_change_is_reported_before_it_is_visible() {
        let reported = Arc::new(AtomicBool::new(false));
        let instances = Instances::new("Model".into(), {
            let reported = Arc::clone(&reported);
            move |_| {
                thread::sleep(Duration::from_millis(20));
                reported.store(true, Ordering::Relaxed);
            }
        });
        thread::scope(|scope| {
            let entering = scope.spawn(|| instances.enter(0));
            while instances.availability() == Availability::Gone {
                thread::yield_now();
            }
            assert!(reported.load(Ordering::Relaxed));
            drop(entering.join());
        });
    }
}
