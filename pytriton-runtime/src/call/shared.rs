use std::sync::Arc;

use super::{Calling, Function, Instance, ModelError};

/// The state of an instance.
#[derive(Debug)]
pub struct Shared<S>(pub Arc<S>);

/// Lets any thread call a function on a state that can be sent and shared.
pub trait Share<S> {
    /// The function on the state, as a loader returns it.
    ///
    /// # Errors
    ///
    /// None: loaders return them.
    fn instance(&self, calling: Calling<S>) -> Result<Box<dyn Instance>, ModelError>;
}

impl<S: Send + Sync + 'static> Share<S> for Shared<S> {
    fn instance(&self, calling: Calling<S>) -> Result<Box<dyn Instance>, ModelError> {
        Ok(Box::new(Function::free(Arc::clone(&self.0), calling)))
    }
}

/// The same of any other state, which stays on its thread: it is found where [`Share`] is not.
pub trait ShareNothing<S> {
    /// The function on the state, as a loader returns it.
    ///
    /// # Errors
    ///
    /// None: loaders return them.
    fn instance(&self, calling: Calling<S>) -> Result<Box<dyn Instance>, ModelError>;
}

impl<S: 'static> ShareNothing<S> for &Shared<S> {
    fn instance(&self, calling: Calling<S>) -> Result<Box<dyn Instance>, ModelError> {
        Ok(Box::new(Function::bound(Arc::clone(&self.0), calling)))
    }
}
