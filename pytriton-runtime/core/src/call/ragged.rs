use ndarray::{CowArray, Ix1};

use crate::decorators::RowOffsets;
use crate::model::{Declared, InputType};
use crate::tensor::{Element, Ragged};

use super::{Call, ModelError, Parameter};

/// The values of a ragged input, which a function borrows as a [`Ragged`].
#[derive(Debug)]
pub struct RaggedView<'c, T> {
    values: CowArray<'c, T, Ix1>,
    offsets: RowOffsets,
}

impl<'c, T> RaggedView<'c, T> {
    /// `offsets` end with the number of values.
    pub(super) fn new(values: CowArray<'c, T, Ix1>, offsets: RowOffsets) -> Self {
        Self { values, offsets }
    }

    /// Returns the rows.
    pub fn view(&self) -> Ragged<'_, T> {
        Ragged::of_checked(self.values.view(), self.offsets.as_slice())
    }

    /// Returns the argument.
    #[doc(hidden)]
    pub fn argument(&self) -> Ragged<'_, T> {
        self.view()
    }
}

/// An optional ragged input.
#[derive(Debug)]
pub struct OptionalRaggedView<'c, T>(Option<RaggedView<'c, T>>);

impl<T> OptionalRaggedView<'_, T> {
    /// Returns the argument.
    pub fn argument(&self) -> Option<Ragged<'_, T>> {
        self.0.as_ref().map(RaggedView::view)
    }
}

impl<T: Element> Parameter for Ragged<'_, T> {
    const DECLARED: Declared = Declared::Input(InputType::of_ragged::<T>(false));
    type Element = T;
    type Storage<'c> = RaggedView<'c, T>;

    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Storage<'c>, ModelError> {
        call.ragged(input)
    }
}

impl<T: Element> Parameter for Option<Ragged<'_, T>> {
    const DECLARED: Declared = Declared::Input(InputType::of_ragged::<T>(true));
    type Element = T;
    type Storage<'c> = OptionalRaggedView<'c, T>;

    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Storage<'c>, ModelError> {
        call.optional_ragged(input).map(OptionalRaggedView)
    }
}
