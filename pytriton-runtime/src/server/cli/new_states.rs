//! The states that a program creates for its models.

use std::sync::Arc;

use crate::registry::Registry;
use crate::server::ServerError;
use crate::shared_state::{SharedStates, StateType};

use super::Cli;
use super::hooks::BoxError;

/// The states that a program with the arguments `A` creates, in order.
pub(super) struct NewStates<A>(Vec<(StateType, Box<Create<A>>)>);

type Create<A> = dyn FnOnce(&A, &mut SharedStates) -> Result<(), ServerError> + Send;

impl<A> Cli<A> {
    /// Provides a state of type `T`, which all functions with a parameter `&Arc<T>` share.
    /// `#[load]` takes `Arc<T>`. Call this method once for each state; each must have its own type.
    ///
    /// The function is called once, before any model is loaded, by the commands that load models:
    /// `serve` and `check`. If it returns an error, the server does not start. It is an error at
    /// start if a model takes a state that the program does not provide.
    pub fn state<T, F>(mut self, create: F) -> Self
    where
        T: Send + Sync + 'static,
        F: FnOnce(&A) -> Result<T, BoxError> + Send + 'static,
    {
        let ty = StateType::of::<T>();
        let create = move |own: &A, states: &mut SharedStates| {
            let state = create(own).map_err(|source| ServerError::State { ty, source })?;
            Ok(states.insert(Arc::new(state))?)
        };
        self.states.0.push((ty, Box::new(create)));
        self
    }
}

impl<A> NewStates<A> {
    /// Checks that the types differ and that the models take no other states. Creating a state may
    /// take long, so this is called first.
    pub(super) fn check(&self, registry: &Registry) -> Result<(), ServerError> {
        let types: Vec<StateType> = self.0.iter().map(|(ty, _)| *ty).collect();
        SharedStates::check_types(&types)?;
        Ok(registry.check_states(&types)?)
    }

    /// Creates the states.
    pub(super) fn create(self, own: &A) -> Result<SharedStates, ServerError> {
        let mut states = SharedStates::default();
        for (_, create) in self.0 {
            create(own, &mut states)?;
        }
        Ok(states)
    }
}

impl<A> Default for NewStates<A> {
    fn default() -> Self {
        Self(Vec::new())
    }
}
