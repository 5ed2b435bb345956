use crate::model::{Declared, InputType};
use crate::tensor::{Element, Ragged};

use super::{ByValue, Call, ModelError, Parameter};

impl<T: Element> Parameter for Ragged<'_, T> {
    const DECLARED: Declared = Declared::Input(InputType::of_ragged::<T>(false));
    type Element = T;
    type Storage<'c> = ByValue<Ragged<'c, T>>;

    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Storage<'c>, ModelError> {
        call.ragged(input).map(ByValue)
    }
}

impl<T: Element> Parameter for Option<Ragged<'_, T>> {
    const DECLARED: Declared = Declared::Input(InputType::of_ragged::<T>(true));
    type Element = T;
    type Storage<'c> = ByValue<Option<Ragged<'c, T>>>;

    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Storage<'c>, ModelError> {
        call.optional_ragged(input).map(ByValue)
    }
}
