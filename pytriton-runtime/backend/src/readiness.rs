//! The readiness of models: a model is ready as long as one of its instances is.
//!
//! Triton's core queries readiness in different ways (`InferenceServer::ModelIsReady`,
//! `InferenceServer::IsReady` and `TritonModel::IsReady` in the branches r24.10, r25.12, r26.03,
//! r26.04 and r26.06 of its `core`, and in `main` at 73aad7c of June 2026, which is after r26.06):
//!
//! - Up to 25.11 it queries no backend. `of` and `of_all` respond in its place (see
//!   `ffi::interpose`).
//! - Since 25.12 it calls `TRITONBACKEND_ModelInstanceReady` for every instance of a model,
//!   including passive ones, and the first error is that of the model. So each instance responds
//!   for its model: with an error only if no instance of the model is ready
//!   ([`Registration::model_is_ready`]).
//! - Up to 26.03 it does so only for a model; since 26.04 also for the server, with
//!   `--strict-readiness`. `main` finds the models of the server by namespace and name instead of
//!   by name, and queries their instances in the same way.
//!
//! The sources of `core` for 26.07 (the first safe version) to 26.11 (the recommended one) have not
//! been read. The HTTP and gRPC services of `server` call the same two functions of the API in
//! r26.06, r26.07 and r26.08.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::instance::Instance;

/// Registers an instance until dropped.
#[derive(Debug)]
pub(crate) struct Registration {
    number: u64,
    loaded_model: usize,
}

struct Entry {
    number: u64,
    model: String,
    version: u64,
    loaded_model: usize,
    is_ready: Box<dyn Fn() -> bool + Send + Sync>,
}

#[derive(Debug)]
struct Instances {
    next: u64,
    entries: Vec<Entry>,
}

/// The instances of all models in this process.
static INSTANCES: Mutex<Instances> = Mutex::new(Instances {
    next: 0,
    entries: Vec::new(),
});

/// Registers an instance. `is_ready` must not block. It is not called after the registration is
/// dropped.
pub(crate) fn register(
    instance: &Instance,
    is_ready: impl Fn() -> bool + Send + Sync + 'static,
) -> Registration {
    let mut instances = lock();
    instances.next += 1;
    let number = instances.next;
    let loaded_model = instance.loaded_model;
    instances.entries.push(Entry {
        number,
        model: instance.model.clone(),
        version: instance.version,
        loaded_model,
        is_ready: Box::new(is_ready),
    });
    Registration {
        number,
        loaded_model,
    }
}

impl Registration {
    /// Returns whether an instance of the same model is ready.
    pub(crate) fn model_is_ready(&self) -> bool {
        of_load(self.loaded_model)
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let mut instances = lock();
        instances
            .entries
            .retain(|entry| entry.number != self.number);
    }
}

/// Returns whether an instance of a loaded model is ready.
pub(crate) fn of_load(loaded_model: usize) -> bool {
    let instances = lock();
    let mut own = instances.entries.iter();
    own.any(|entry| entry.loaded_model == loaded_model && (entry.is_ready)())
}

/// Returns whether every model has a ready instance.
#[cfg(any(test, pytriton_library))]
pub(crate) fn of_all() -> bool {
    let instances = lock();
    let entries = &instances.entries;
    let mut others = entries.iter().filter(|entry| !(entry.is_ready)());
    others.all(|other| {
        let mut same = entries
            .iter()
            .filter(|entry| (entry.version == other.version) && (entry.model == other.model));
        same.any(|entry| (entry.is_ready)())
    })
}

/// Returns whether a model has a ready instance, or no instance at all. A negative version means
/// any version.
#[cfg(any(test, pytriton_library))]
pub(crate) fn of(model: &str, version: i64) -> bool {
    let requested = u64::try_from(version).ok();
    let instances = lock();
    let mut own = instances.entries.iter().filter(|entry| {
        entry.model == model && requested.is_none_or(|requested| requested == entry.version)
    });
    let mut count = 0;
    own.any(|entry| {
        count += 1;
        (entry.is_ready)()
    }) || count == 0
}

fn lock() -> MutexGuard<'static, Instances> {
    // No panic can leave the list inconsistent.
    INSTANCES.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("model", &self.model)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(model: &str, loaded_model: usize, is_ready: bool) -> Registration {
        let instance = Instance {
            model: model.to_owned(),
            version: 1,
            loaded_model,
            name: String::new(),
            gpu: None,
        };
        register(&instance, move || is_ready)
    }

    #[test]
    fn model_is_ready_while_any_instance_is() {
        let _exclusive = crate::ffi::exclusive();
        let instances = [
            instance("a", 10, true),
            instance("a", 10, false),
            instance("b", 11, true),
            instance("c", 12, false),
        ];
        let models = ["a", "b", "c", "of nobody"].map(|model| of(model, -1));
        assert_eq!(models, [true, true, false, true]);
        assert_eq!([of("c", 1), of("c", 2)], [false, true]);
        let each = [0, 1, 2, 3].map(|index: usize| instances[index].model_is_ready());
        assert_eq!(each, [true, true, true, false]);
        assert!(!of_all());
        let [one, two, three, last] = instances;
        drop(last);
        assert!(of_all());
        drop((one, three));
        assert!(!of_all() && !two.model_is_ready());
        drop(two);
        assert!(of_all());
    }

    #[test]
    fn loads_of_the_same_model_have_separate_readiness() {
        let _exclusive = crate::ffi::exclusive();
        let (old, new) = (instance("a", 20, true), instance("a", 21, false));
        assert!(old.model_is_ready() && !new.model_is_ready());
        // Under its name it is ready: Triton serves the old one until the new one is loaded.
        assert!(of("a", 1));
    }
}
