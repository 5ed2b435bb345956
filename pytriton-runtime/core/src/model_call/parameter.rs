use pytriton_protocol::typed::Model;

use crate::call::{self, ByReference, Context, LoadParameter, ModelError, Parameter};
use crate::model::Declared;

use super::Call;

#[diagnostic::do_not_recommend]
impl<M: Model> Parameter for &Call<M> {
    const DECLARED: Declared = Declared::Call {
        signature: M::signature,
    };
    type Element = ();
    type Storage<'c> = ByReference<Call<M>>;

    fn read<'c>(call: &'c call::Call<'_>, _: usize) -> Result<Self::Storage<'c>, ModelError> {
        Ok(ByReference::new(Call::of_function(call)))
    }
}

#[diagnostic::do_not_recommend]
impl<M: Model> LoadParameter<'_> for Call<M> {
    const DECLARED: Declared = Declared::Call {
        signature: M::signature,
    };

    fn new(context: &Context) -> Result<Self, ModelError> {
        Ok(Self::of_instance(context))
    }
}
