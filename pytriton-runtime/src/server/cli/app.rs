use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Weak};

use crate::local_models::LocalModels;
use crate::model_call::Call;
use crate::server::Addresses;
use crate::shared_state::SharedStates;
use crate::typed;

/// A program that serves its models, as passed to the functions of a [`Cli`](super::Cli).
pub struct App<A = ()> {
    arguments: Arc<A>,
    states: Arc<SharedStates>,
    addresses: Addresses,
    models: Option<Weak<dyn LocalModels>>,
}

impl<A> App<A> {
    pub(super) fn new(
        arguments: Arc<A>,
        states: Arc<SharedStates>,
        addresses: Addresses,
        models: Option<Weak<dyn LocalModels>>,
    ) -> Self {
        Self {
            arguments,
            states,
            addresses,
            models,
        }
    }

    /// Returns the program's own arguments.
    pub fn args(&self) -> &A {
        self.arguments.deref()
    }

    /// Returns the state of this type that [`Cli::state`](super::Cli::state) provides, if any.
    pub fn state<T: Send + Sync + 'static>(&self) -> Option<&Arc<T>> {
        self.states.find()
    }

    /// Returns the addresses of the ports.
    pub fn addresses(&self) -> &Addresses {
        &self.addresses
    }

    /// Returns a handle to call a model from this process. Returns `None` if tritonserver serves
    /// the models.
    pub fn call<M: typed::Model>(&self) -> Option<Call<M>> {
        self.models.clone().map(Call::new)
    }
}

impl<A> fmt::Debug for App<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App")
            .field("addresses", &self.addresses)
            .finish_non_exhaustive()
    }
}
