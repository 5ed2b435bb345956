use std::fmt;
use std::sync::Arc;
use std::thread;

use tokio::sync::watch;

/// The instances of a model: how many there are, and how many of them hang.
pub(crate) struct Instances {
    model: &'static str,
    count: watch::Sender<Count>,
    changed: Box<dyn Fn(&Self) + Send + Sync>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Count {
    alive: usize,
    hanging: usize,
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

impl Instances {
    /// No instances as yet. `changed` is called after every change, on the thread that made it: it must not block.
    pub(crate) fn new(
        model: &'static str,
        changed: impl Fn(&Self) + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            model,
            count: watch::Sender::new(Count::default()),
            changed: Box::new(changed),
        })
    }

    /// Counts an instance as long as what is returned lives.
    pub(crate) fn enter(self: &Arc<Self>, instance: u32) -> Presence {
        self.change(|count| count.alive += 1);
        Presence {
            instances: Arc::clone(self),
            instance,
        }
    }

    /// Whether one of them can take a request.
    pub(crate) fn availability(&self) -> Availability {
        let count = *self.count.borrow();
        match count {
            Count { alive: 0, .. } => Availability::Gone,
            Count { alive, hanging } if alive <= hanging => Availability::Hanging,
            _ => Availability::Ready,
        }
    }

    /// Counts an instance as hanging.
    pub(super) fn hang(&self) {
        self.change(|count| count.hanging += 1);
    }

    /// Counts an instance as no longer hanging.
    pub(super) fn come_back(&self) {
        self.change(|count| count.hanging = count.hanging.saturating_sub(1));
    }

    /// Waits until there is none left but those that hang.
    pub(crate) async fn ended(&self) {
        let mut counts = self.count.subscribe();
        // The sender is this one's own: it cannot be gone.
        let _ = counts.wait_for(|count| count.alive <= count.hanging).await;
    }

    fn change(&self, change: impl FnOnce(&mut Count)) {
        self.count.send_modify(change);
        (self.changed)(self);
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

impl Drop for Presence {
    fn drop(&mut self) {
        let instances = &self.instances;
        instances.change(|count| count.alive = count.alive.saturating_sub(1));
        if thread::panicking() {
            let (model, instance) = (instances.model, self.instance);
            tracing::error!(
                model,
                instance,
                "the instance has ended, its thread panicked"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn says_after_every_change_whether_there_is_one() {
        use Availability::{Gone, Ready};
        let told = Arc::new(Mutex::new(Vec::new()));
        let instances = Instances::new("Model", {
            let told = Arc::clone(&told);
            move |instances| told.lock().unwrap().push(instances.availability())
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
        assert_eq!(*told.lock().unwrap(), [Ready, Ready, Ready, Gone]);
    }
}
