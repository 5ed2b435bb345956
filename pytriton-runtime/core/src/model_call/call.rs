use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, Weak};
use std::time::Duration;

use pytriton_protocol::signature::ModelSignature;
use pytriton_protocol::typed::Model;

use crate::call::{self, Context};
use crate::local_models::LocalModels;
use crate::request::{Identity, Parameters, Sequence};

use super::inherited::Inherited;
use super::signatures::signature;

/// Calls another model of this process.
///
/// `M` is the type that the option `client` of the model names. `call` takes the arguments of the
/// model's function, by value or by reference, and returns a future with its result, or a stream of
/// results. The request enters the queue of the called model like a client's request: it is batched
/// with others, and limits, the cache and statistics apply. Arrays that are passed by value are not
/// copied.
///
/// A function takes `&Call<M>`. Its calls inherit the priority and the queue timeout of the
/// function's requests, and are cancelled with them. They also inherit the client, except in raw
/// functions and in functions with `#[batch]` that do not take `&Identity`. They must end before
/// the function returns. `#[load]` takes `Call<M>` to store it in the state; such calls inherit
/// none of these.
///
/// If the call fails, `?` passes on the status of the called model: for example 503 if its queue is
/// full.
pub struct Call<M: Model, A = <M as Model>::Arguments> {
    pub(super) signature: Arc<ModelSignature>,
    /// Weak, because the models own the instance whose state may contain this.
    pub(super) models: Option<Weak<dyn LocalModels>>,
    pub(super) inherited: Inherited,
    pub(super) parameters: Parameters,
    pub(super) sequence: Option<Sequence>,
    types: PhantomData<fn() -> (M, A)>,
}

impl<M: Model> Call<M> {
    /// Creates a handle for calls from outside a model.
    pub fn new(models: Weak<dyn LocalModels>) -> Self {
        Self::by(Some(models), Inherited::default())
    }

    /// Creates a handle for the calls of an instance that belong to no request.
    pub(crate) fn of_instance(context: &Context) -> Self {
        let inherited = Inherited::idle(&context.model().name);
        Self::by(context.models().cloned(), inherited)
    }

    /// Creates the handle of a function for the calls that belong to its requests.
    pub(crate) fn of_function(call: &call::Call<'_>) -> Self {
        Self::by(call.context().models().cloned(), Inherited::of(call))
    }

    pub(super) fn by(models: Option<Weak<dyn LocalModels>>, inherited: Inherited) -> Self {
        Self {
            signature: signature::<M>(),
            models,
            inherited,
            parameters: Parameters::default(),
            sequence: None,
            types: PhantomData,
        }
    }

    /// Returns the name of the model.
    pub fn model(&self) -> &str {
        &self.signature.name
    }

    /// Sets the priority level, instead of the inherited one; 1 is the highest.
    #[must_use]
    pub fn priority(&self, level: u64) -> Self {
        let mut call = self.clone();
        call.inherited.priority = level;
        call
    }

    /// Sets the maximum time in the queue, instead of the inherited one. Without sequences, it has
    /// an effect only if the called model has `default_timeout_microseconds` and
    /// `allow_timeout_override = true`, and it can only shorten that time.
    #[must_use]
    pub fn timeout(&self, time: Duration) -> Self {
        let mut call = self.clone();
        // Zero would be the default.
        call.inherited.timeout = Some(time.max(Duration::from_micros(1)));
        call
    }

    /// Sets the client on whose behalf the call is made, instead of the inherited one.
    ///
    /// A function that takes `&[Request]` passes `request.identity()`: its calls inherit none,
    /// because its requests may have several clients.
    #[must_use]
    pub fn identity(&self, identity: Identity) -> Self {
        let mut call = self.clone();
        call.inherited.identity = identity;
        call
    }

    /// Sets the parameters of the request.
    #[must_use]
    pub fn parameters(&self, parameters: Parameters) -> Self {
        Self {
            parameters,
            ..self.clone()
        }
    }

    /// Sets the position of the request in a sequence.
    #[must_use]
    pub fn sequence(&self, sequence: Sequence) -> Self {
        Self {
            sequence: Some(sequence),
            ..self.clone()
        }
    }
}

impl<M: Model, A> Clone for Call<M, A> {
    fn clone(&self) -> Self {
        Self {
            signature: Arc::clone(&self.signature),
            models: self.models.clone(),
            inherited: self.inherited.clone(),
            parameters: self.parameters.clone(),
            sequence: self.sequence.clone(),
            types: PhantomData,
        }
    }
}

impl<M: Model, A> fmt::Debug for Call<M, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("model", &self.signature.name)
            .field("caller", &self.inherited.caller)
            .finish_non_exhaustive()
    }
}
