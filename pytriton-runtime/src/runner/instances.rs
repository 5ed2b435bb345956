use std::fmt;
use std::mem;
use std::sync::Arc;
use std::thread;

use thiserror::Error;
use tokio::sync::watch;

use crate::call::Health;

/// The instances of a model: how many there are, and how many of them hang.
pub(crate) struct Instances {
    model: Arc<str>,
    count: watch::Sender<Count>,
    /// Why the model is beyond repair.
    breakdown: watch::Sender<Option<Breakdown>>,
    changed: Box<dyn Fn(Change) + Send + Sync>,
}

/// Why nothing can be answered any more.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("model '{model}' is beyond repair: {reason}")]
pub struct Breakdown {
    /// The model.
    pub model: Arc<str>,
    /// What its function has said last.
    pub reason: String,
}

#[derive(Debug, Clone, Copy, Default)]
struct Count {
    alive: usize,
    hanging: usize,
    /// Whether none of them can ever answer anything again.
    broken: bool,
}

/// Whether a model has an instance for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Availability {
    /// It has.
    Ready,
    /// Every instance is in a call that takes too long.
    Hanging,
    /// There is no instance.
    Gone,
}

/// An instance that comes, goes, hangs or comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Change {
    /// Which one; `None` for all of them.
    pub(crate) instance: Option<u32>,
    /// Whether it can take a request from now on.
    pub(crate) there: bool,
    /// Whether any can.
    pub(crate) availability: Availability,
}

impl Instances {
    /// No instances as yet. `changed` is called at every change, on the thread that makes it, before anybody else can see
    /// it: it must neither block nor ask the instances.
    pub(crate) fn new(
        model: Arc<str>,
        changed: impl Fn(Change) + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            model,
            count: watch::Sender::new(Count::default()),
            breakdown: watch::Sender::new(None),
            changed: Box::new(changed),
        })
    }

    /// Counts an instance as long as what is returned lives.
    pub(crate) fn enter(self: &Arc<Self>, instance: u32) -> Presence {
        self.change(instance, true, |count| count.alive += 1);
        Presence {
            instances: Arc::clone(self),
            instance,
        }
    }

    /// Whether one of them can take a request.
    pub(crate) fn availability(&self) -> Availability {
        self.count.borrow().availability()
    }

    /// Counts an instance as hanging.
    pub(super) fn hang(&self, instance: u32) {
        self.change(instance, false, |count| count.hanging += 1);
    }

    /// Counts an instance as no longer hanging.
    pub(super) fn come_back(&self, instance: u32) {
        let back = |count: &mut Count| count.hanging = count.hanging.saturating_sub(1);
        self.change(instance, true, back);
    }

    /// Takes errors after which nothing can be answered; it keeps nothing alive.
    pub(crate) fn health(self: &Arc<Self>) -> Health {
        let instances = Arc::downgrade(self);
        Health::new(move |reason| {
            if let Some(instances) = instances.upgrade() {
                instances.break_down(reason);
            }
        })
    }

    /// No instance takes a request from now on.
    fn break_down(&self, reason: String) {
        // Whoever comes second answers too, and waits here until all know.
        let is_first = self.count.send_if_modified(|count| {
            let is_first = !mem::replace(&mut count.broken, true);
            if is_first {
                (self.changed)(Change {
                    instance: None,
                    there: false,
                    availability: count.availability(),
                });
            }
            is_first
        });
        if is_first {
            let breakdown = Breakdown {
                model: Arc::clone(&self.model),
                reason,
            };
            tracing::error!("{breakdown}");
            self.breakdown.send_replace(Some(breakdown));
        }
    }

    /// Whether the model is beyond repair.
    #[cfg(tritonserver)]
    pub(crate) fn is_broken(&self) -> bool {
        self.count.borrow().broken
    }

    /// Why the model is beyond repair, once it is; nothing comes where it goes before.
    pub(crate) fn broken(&self) -> impl Future<Output = Option<Breakdown>> + Send + use<> {
        let mut breakdown = self.breakdown.subscribe();
        async move { breakdown.wait_for(Option::is_some).await.ok()?.clone() }
    }

    /// Waits until there is none left but those that hang.
    pub(crate) async fn ended(&self) {
        let mut counts = self.count.subscribe();
        // The sender is this one's own: it cannot be gone.
        let _ = counts.wait_for(|count| count.alive <= count.hanging).await;
    }

    fn change(&self, instance: u32, there: bool, change: impl FnOnce(&mut Count)) {
        self.count.send_modify(|count| {
            change(count);
            (self.changed)(Change {
                instance: Some(instance),
                there,
                availability: count.availability(),
            });
        });
    }
}

impl Count {
    fn availability(self) -> Availability {
        match self {
            Self { alive: 0, .. } | Self { broken: true, .. } => Availability::Gone,
            Self { alive, hanging, .. } if alive <= hanging => Availability::Hanging,
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

/// An instance that is there.
#[derive(Debug)]
pub(crate) struct Presence {
    instances: Arc<Instances>,
    instance: u32,
}

impl Presence {
    /// The instance has ended in a panic outside of its function.
    pub(super) fn end_in_panic(self) {
        self.log_panic();
    }

    fn log_panic(&self) {
        let (model, instance) = (&*self.instances.model, self.instance);
        tracing::error!(model, instance, "the instance has ended in a panic");
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        let instances = &self.instances;
        let gone = |count: &mut Count| count.alive = count.alive.saturating_sub(1);
        instances.change(self.instance, false, gone);
        if thread::panicking() {
            self.log_panic();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use crate::call::ModelError;

    use super::*;

    #[test]
    fn says_at_every_change_whether_there_is_one() {
        use Availability::{Gone, Ready};
        let told = Arc::new(Mutex::new(Vec::new()));
        let instances = Instances::new("Model".into(), {
            let told = Arc::clone(&told);
            move |Change {
                      instance,
                      there,
                      availability,
                  }| {
                told.lock().unwrap().push((instance, there, availability));
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
        assert_eq!(*told.lock().unwrap(), expected);
    }

    #[tokio::test]
    async fn none_takes_a_request_of_a_model_beyond_repair() {
        let instances = Instances::new("Model".into(), |_| {});
        let _present = [instances.enter(0), instances.enter(1)];
        let lost = |message: &str| ModelError::Unrecoverable {
            model: "Model".into(),
            message: message.to_owned(),
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
        let breakdown = instances.broken().await.unwrap().to_string();
        let expected = "model 'Model' is beyond repair: model 'Model' failed: one";
        assert_eq!(breakdown, expected);
        let _late = instances.enter(2);
        assert_eq!(instances.availability(), Availability::Gone);
    }

    #[test]
    fn nobody_sees_a_change_before_it_has_been_told() {
        let told = Arc::new(AtomicBool::new(false));
        let instances = Instances::new("Model".into(), {
            let told = Arc::clone(&told);
            move |_| {
                thread::sleep(Duration::from_millis(20));
                told.store(true, Ordering::Relaxed);
            }
        });
        thread::scope(|scope| {
            let entering = scope.spawn(|| instances.enter(0));
            while instances.availability() == Availability::Gone {
                thread::yield_now();
            }
            assert!(told.load(Ordering::Relaxed));
            drop(entering.join());
        });
    }
}
