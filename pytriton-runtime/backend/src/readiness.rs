use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::ffi::Batch;

/// An instance that may be unable to execute batches for a while.
pub(crate) trait Ready: Send + Sync {
    /// The model and its version.
    fn model(&self) -> (&str, u64);

    /// Whether batches can be executed.
    fn is_ready(&self) -> bool;

    /// Executes a batch, after those that it has already.
    fn execute(&self, batch: Batch);
}

/// The instances of all models in this process.
static INSTANCES: Mutex<Vec<Weak<dyn Ready>>> = Mutex::new(Vec::new());

/// Notes an instance, as long as it lives.
pub(crate) fn note(instance: Weak<dyn Ready>) {
    let mut instances = lock();
    instances.retain(|other| other.strong_count() > 0);
    instances.push(instance);
}

/// An instance of a model that is ready.
pub(crate) fn other(model: (&str, u64)) -> Option<Arc<dyn Ready>> {
    let mut instances = all().into_iter();
    instances.find(|instance| instance.model() == model && instance.is_ready())
}

/// Whether every model has an instance that is ready.
#[cfg(any(test, pytriton_library))]
pub(crate) fn of_all() -> bool {
    let instances = all();
    let mut others = instances.iter().filter(|instance| !instance.is_ready());
    others.all(|other| {
        let mut same = instances.iter().filter(|one| one.model() == other.model());
        same.any(|one| one.is_ready())
    })
}

/// Whether a model has an instance that is ready, or none at all; below zero stands for any version.
#[cfg(any(test, pytriton_library))]
pub(crate) fn of(model: &str, version: i64) -> bool {
    let asked = u64::try_from(version).ok();
    let instances = all();
    let mut own = instances.iter().filter(|instance| {
        let (name, version) = instance.model();
        name == model && asked.is_none_or(|asked| asked == version)
    });
    let mut count = 0;
    own.any(|instance| {
        count += 1;
        instance.is_ready()
    }) || count == 0
}

fn all() -> Vec<Arc<dyn Ready>> {
    lock().iter().filter_map(Weak::upgrade).collect()
}

fn lock() -> MutexGuard<'static, Vec<Weak<dyn Ready>>> {
    // Nothing under this lock panics half-way.
    INSTANCES.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Instance(&'static str, bool);

    impl Ready for Instance {
        fn model(&self) -> (&str, u64) {
            (self.0, 1)
        }

        fn is_ready(&self) -> bool {
            self.1
        }

        fn execute(&self, _batch: Batch) {}
    }

    #[test]
    fn a_model_is_ready_as_long_as_one_of_its_instances_is() {
        let instances = [("a", true), ("a", false), ("b", true), ("c", false)];
        let instances = instances.map(|(model, ready)| {
            let instance: Arc<dyn Ready> = Arc::new(Instance(model, ready));
            note(Arc::downgrade(&instance));
            instance
        });
        let models = ["a", "b", "c", "of nobody"].map(|model| of(model, -1));
        assert_eq!(models, [true, true, false, true]);
        assert_eq!([of("c", 1), of("c", 2)], [false, true]);
        assert!(other(("a", 1)).is_some_and(|other| other.is_ready()));
        assert!(other(("a", 2)).is_none() && other(("c", 1)).is_none());
        assert!(!of_all());
        let [one, two, three, last] = instances;
        drop(last);
        assert!(of_all());
        drop((one, three));
        assert!(!of_all());
        drop(two);
        assert!(of_all());
    }
}
