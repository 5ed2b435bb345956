use std::sync::Arc;

use crate::call::{ByValue, Call, Context, LoadParameter, ModelError, Parameter};
use crate::model::Declared;

use super::{SharedState, StateType};

/// Returns the declaration of a parameter with this state.
const fn shared<T: SharedState>() -> Declared {
    Declared::Shared {
        ty: StateType::of::<T>,
    }
}

impl<T: SharedState> Parameter for &Arc<T> {
    const DECLARED: Declared = shared::<T>();
    type Element = ();
    type Storage<'c> = ByValue<&'c Arc<T>>;

    fn read<'c>(call: &'c Call<'_>, _: usize) -> Result<Self::Storage<'c>, ModelError> {
        call.context().state().map(ByValue)
    }
}

#[diagnostic::do_not_recommend]
impl<T: SharedState> LoadParameter<'_> for Arc<T> {
    const DECLARED: Declared = shared::<T>();

    fn new(context: &Context) -> Result<Self, ModelError> {
        context.state().cloned()
    }
}

#[diagnostic::do_not_recommend]
impl<'c, T: SharedState> LoadParameter<'c> for &'c Arc<T> {
    const DECLARED: Declared = shared::<T>();

    fn new(context: &'c Context) -> Result<Self, ModelError> {
        context.state()
    }
}
