use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::call::{
    Call, Context, Execution, IntoState, LoadedInstance, Loader, ModelError, Sequenced, Start,
    Started, model_error,
};
use crate::error::Error;
use crate::request::Sequence;

use super::instance::{Execute, FunctionInstance, StartOn, Starting};
use super::states::{NoState, Owned, StateKind};

/// A mode with a state for each instance, for each sequence, or for both.
pub struct Stateful<U, S: StateKind, Q> {
    load: Arc<MakeState<S::Value>>,
    start: Option<Arc<StartOn<S::Value>>>,
    place: Place<S::Value>,
    pub(super) movable: bool,
    unit: PhantomData<fn() -> (U, Q)>,
}

type MakeState<S> = dyn Fn(&Context) -> Result<S, ModelError> + Send + Sync;

/// Returns an instance that stays on its thread or not.
struct Place<S> {
    exclusive: fn(FunctionInstance<RefCell<S>>) -> LoadedInstance,
    shared: fn(FunctionInstance<S>) -> LoadedInstance,
}

impl<S: 'static> Place<S> {
    const LOCAL: Self = Self {
        exclusive: |instance| LoadedInstance::Local(Box::new(instance)),
        shared: |instance| LoadedInstance::Local(Box::new(instance)),
    };
}

impl<S: Send + 'static> Place<S> {
    const MOVABLE: Self = Self {
        exclusive: |instance| LoadedInstance::Movable(Box::new(instance)),
        shared: |instance| LoadedInstance::Movable(Box::new(instance)),
    };
}

impl<U> Stateful<U, NoState, NoState> {
    pub(super) fn none() -> Self {
        Self {
            load: Arc::new(|_| Ok(())),
            start: None,
            place: Place::MOVABLE,
            movable: true,
            unit: PhantomData,
        }
    }
}

impl<U, S: 'static> Stateful<U, Owned<S>, NoState> {
    pub(super) fn new<F>(load: F) -> Self
    where
        F: Fn(&Context) -> Result<S, Error> + Send + Sync + 'static,
    {
        Self {
            load: Arc::new(move |context| load(context).into_state(context)),
            start: None,
            place: Place::LOCAL,
            movable: false,
            unit: PhantomData,
        }
    }

    /// Lets any thread call the function, one call of an instance at a time.
    /// [`Model::inline`](super::Model::inline) needs this.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::cell::Cell;
    ///
    /// use ndarray::Ix2;
    /// use pytriton_core::runtime_models::{Function, Input, Model, Output, PerBatch};
    ///
    /// let counter = PerBatch.stateful(|_| Ok(Cell::new(0.0))).movable();
    /// let counting = Function::new(counter, |call| {
    ///     call.state.set(call.state.get() + 1.0);
    ///     Ok(&call.array::<f32, Ix2>("x")? * 0.0 + call.state.get())
    /// });
    /// let model = Model::new("Counting")
    ///     .input(Input::new::<f32>("x", [-1]))
    ///     .output(Output::new::<f32>("y", [-1]))
    ///     .inline(true);
    /// assert!(model.registration(&counting).is_ok());
    /// ```
    ///
    /// A state that is not `Send` does not compile:
    ///
    /// ```compile_fail,E0277
    /// use std::rc::Rc;
    ///
    /// use pytriton_core::runtime_models::PerBatch;
    ///
    /// let shared = PerBatch.stateful(|_| Ok(Rc::new(0.0))).movable();
    /// ```
    pub fn movable(self) -> Self
    where
        S: Send,
    {
        Self {
            place: Place::MOVABLE,
            movable: true,
            ..self
        }
    }

    /// Adds a state for each sequence. `start` creates it when the sequence starts, from the state
    /// of the instance.
    ///
    /// # Examples
    ///
    /// ```
    /// use ndarray::{Ix2, array};
    /// use pytriton_core::runtime_models::{Function, PerRequest};
    ///
    /// let states = PerRequest.stateful(|_| Ok(0.5)).per_sequence(|_, _, _| Ok(0.0));
    /// let summing = Function::new(states, |call| {
    ///     *call.sequence_state += *call.state * call.array::<f32, Ix2>("x")?.sum();
    ///     Ok(array![[*call.sequence_state]])
    /// });
    /// ```
    pub fn per_sequence<F, Q>(self, start: F) -> Stateful<U, Owned<S>, Owned<Q>>
    where
        F: Fn(&S, &Sequence, &Context) -> Result<Q, Error> + Send + Sync + 'static,
        Q: 'static,
    {
        self.started(start)
    }
}

impl<U, S: StateKind> Stateful<U, S, NoState> {
    pub(super) fn started<F, Q>(self, start: F) -> Stateful<U, S, Owned<Q>>
    where
        F: Fn(&S::Value, &Sequence, &Context) -> Result<Q, Error> + Send + Sync + 'static,
        Q: 'static,
    {
        let start = move |state: &S::Value, begun: &Start<'_>| -> Started {
            match start(state, begun.sequence, begun.context) {
                Ok(state) => Ok(Box::new(state)),
                Err(error) => Err(model_error(begun.context.model(), error)),
            }
        };
        Stateful {
            load: self.load,
            start: Some(Arc::new(start)),
            place: self.place,
            movable: false,
            unit: PhantomData,
        }
    }
}

impl<U, S: StateKind, Q> Stateful<U, S, Q> {
    pub(super) fn has_sequences(&self) -> bool {
        self.start.is_some()
    }

    /// Returns the loader of instances whose function takes the state exclusively.
    pub(super) fn exclusive<F>(self, waits: bool, execute: F) -> Loader
    where
        F: for<'a> Fn(&'a RefCell<S::Value>, &'a Call<'a>) -> Execution<'a> + Send + Sync + 'static,
    {
        let start = self.start.map(|start| -> Arc<StartOn<RefCell<S::Value>>> {
            Arc::new(move |state, begun| start(&state.borrow(), begun))
        });
        let load = self.load;
        let load = move |context: &Context| load(context).map(RefCell::new);
        loader(
            load,
            start,
            self.place.exclusive,
            (Arc::new(execute), waits),
        )
    }

    /// Returns the loader of instances whose concurrent calls share the state.
    pub(super) fn shared<F>(self, execute: F) -> Loader
    where
        F: for<'a> Fn(&'a S::Value, &'a Call<'a>) -> Execution<'a> + Send + Sync + 'static,
    {
        let load = self.load;
        let load = move |context: &Context| load(context);
        loader(
            load,
            self.start,
            self.place.shared,
            (Arc::new(execute), true),
        )
    }
}

fn loader<S: 'static>(
    load: impl Fn(&Context) -> Result<S, ModelError> + Send + Sync + 'static,
    start: Option<Arc<StartOn<S>>>,
    place: fn(FunctionInstance<S>) -> LoadedInstance,
    (execute, waits): (Arc<Execute<S>>, bool),
) -> Loader {
    Arc::new(move |context| {
        let instance = FunctionInstance {
            state: load(context)?,
            execute: Arc::clone(&execute),
            waits,
        };
        let Some(start) = &start else {
            return Ok(place(instance));
        };
        let start = Arc::clone(start);
        let sequenced = Sequenced::new(context, Starting { instance, start });
        Ok(LoadedInstance::Local(Box::new(sequenced)))
    })
}

impl<U, S: StateKind, Q> fmt::Debug for Stateful<U, S, Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stateful")
            .field("movable", &self.movable)
            .field("sequences", &self.has_sequences())
            .finish()
    }
}
