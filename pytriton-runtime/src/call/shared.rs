use std::sync::Arc;

use super::{Detached, Instance, detached};

/// The state of an instance.
#[derive(Debug)]
pub struct Shared<'a, S>(pub &'a Arc<S>);

/// Lets any thread call a function on a state that can be sent and shared.
pub trait Share<S> {
    /// The function on the same state, for any thread.
    fn share<I: Instance + Send + Sync + 'static>(
        &self,
        instance: impl FnOnce(Arc<S>) -> I,
    ) -> Detached;
}

impl<S: Send + Sync> Share<S> for Shared<'_, S> {
    fn share<I: Instance + Send + Sync + 'static>(
        &self,
        instance: impl FnOnce(Arc<S>) -> I,
    ) -> Detached {
        detached(instance(Arc::clone(self.0)))
    }
}

/// The same of any other state, which stays on its thread: it is found where [`Share`] is not.
pub trait ShareNothing<S> {
    /// Nothing.
    fn share<I>(&self, instance: impl FnOnce(Arc<S>) -> I) -> Detached {
        drop(instance);
        None
    }
}

impl<S> ShareNothing<S> for &Shared<'_, S> {}
