use std::sync::{Mutex, MutexGuard, PoisonError, Weak};

/// What can say whether an instance of a model is ready.
pub(crate) trait Ready: Send + Sync {
    /// The model.
    #[cfg_attr(
        not(any(test, pytriton_library)),
        expect(dead_code, reason = "only a library in tritonserver is asked")
    )]
    fn model(&self) -> &str;

    /// Whether batches can be executed.
    fn is_ready(&self) -> bool;
}

/// The instances of all models in this process.
static INSTANCES: Mutex<Vec<Weak<dyn Ready>>> = Mutex::new(Vec::new());

/// Notes an instance, as long as it lives.
pub(crate) fn note(instance: Weak<dyn Ready>) {
    let mut instances = lock();
    instances.retain(|other| other.strong_count() > 0);
    instances.push(instance);
}

/// Whether every model has an instance that is ready.
#[cfg(any(test, pytriton_library))]
pub(crate) fn of_all() -> bool {
    let instances: Vec<_> = lock().iter().filter_map(Weak::upgrade).collect();
    let mut others = instances.iter().filter(|instance| !instance.is_ready());
    others.all(|other| {
        let mut same = instances.iter().filter(|one| one.model() == other.model());
        same.any(|one| one.is_ready())
    })
}

/// Whether a model has an instance that is ready, or none at all.
#[cfg(any(test, pytriton_library))]
pub(crate) fn of(model: &str) -> bool {
    let instances: Vec<_> = lock().iter().filter_map(Weak::upgrade).collect();
    let own: Vec<_> = instances
        .iter()
        .filter(|one| one.model() == model)
        .collect();
    own.is_empty() || own.iter().any(|one| one.is_ready())
}

fn lock() -> MutexGuard<'static, Vec<Weak<dyn Ready>>> {
    // Nothing under this lock panics half-way.
    INSTANCES.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    struct Instance(&'static str, bool);

    impl Ready for Instance {
        fn model(&self) -> &str {
            self.0
        }

        fn is_ready(&self) -> bool {
            self.1
        }
    }

    #[test]
    fn a_model_is_ready_as_long_as_one_of_its_instances_is() {
        let instances = [("a", true), ("a", false), ("b", true), ("c", false)];
        let instances = instances.map(|(model, ready)| {
            let instance: Arc<dyn Ready> = Arc::new(Instance(model, ready));
            note(Arc::downgrade(&instance));
            instance
        });
        let models = ["a", "b", "c", "of nobody"].map(of);
        assert_eq!(models, [true, true, false, true]);
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
