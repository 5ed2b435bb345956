use half::{bf16, f16};
use ndarray::{Array, ArrayView, Dimension, Ix2};

use crate::tensor::{BytesElement, Element, Ragged};

use super::{ArrayOf, OptionalArrayOf, OptionalValueOf, ValueOf};

/// A function with one parameter of a model. It names a type with a lifetime without the lifetime.
#[diagnostic::on_unimplemented(
    message = "the model's function takes `{Self}`, which a client cannot send",
    label = "not an input",
    note = "parameters other than inputs are recognized by the name of their type: write `&Context` in the function, not an alias"
)]
pub trait Takes {
    /// The marker type of the input.
    type As;
}

impl<T: Element, D: Dimension> Takes for for<'a> fn(ArrayView<'a, T, D>) {
    type As = ArrayOf<T, D>;
}

impl<T: Element, D: Dimension> Takes for fn(Array<T, D>) {
    type As = ArrayOf<T, D>;
}

impl<T: Element, D: Dimension> Takes for for<'a> fn(Option<ArrayView<'a, T, D>>) {
    type As = OptionalArrayOf<T, D>;
}

impl<T: Element, D: Dimension> Takes for fn(Option<Array<T, D>>) {
    type As = OptionalArrayOf<T, D>;
}

impl<T: Element> Takes for for<'a> fn(Ragged<'a, T>) {
    type As = ArrayOf<T, Ix2>;
}

impl<T: Element> Takes for for<'a> fn(Option<Ragged<'a, T>>) {
    type As = OptionalArrayOf<T, Ix2>;
}

/// The input has one column.
impl Takes for fn(Vec<String>) {
    type As = ArrayOf<String, Ix2>;
}

/// A fill value makes the input optional for callers.
impl Takes for fn(Option<Vec<String>>) {
    type As = OptionalArrayOf<String, Ix2>;
}

impl<T: BytesElement> Takes for fn(T) {
    type As = ValueOf<T>;
}

impl<T: BytesElement> Takes for fn(Option<T>) {
    type As = OptionalValueOf<T>;
}

macro_rules! values {
    ($($value:ty),* $(,)?) => {$(
        impl Takes for fn($value) {
            type As = ValueOf<$value>;
        }

        impl Takes for fn(Option<$value>) {
            type As = OptionalValueOf<$value>;
        }
    )*};
}

values!(
    bool,
    u8,
    u16,
    u32,
    u64,
    i8,
    i16,
    i32,
    i64,
    f16,
    bf16,
    f32,
    f64,
    String,
    Vec<u8>,
);

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::tensor::Tensor;
    use crate::typed::Argument;

    #[test]
    fn texts_are_an_array_with_one_column() {
        type Texts = <fn(Vec<String>) as Takes>::As;
        type Filled = <fn(Option<Vec<String>>) as Takes>::As;
        for count in 0..3 {
            let texts = Array2::from_elem((count, 1), "a".to_owned());
            let expected = Tensor::from_elements(vec![count, 1], vec!["a".to_owned(); count]);
            let expected = expected.map(Some);
            assert_eq!(Argument::<Texts>::into_tensor(&texts), expected);
            assert_eq!(Argument::<Filled>::into_tensor(texts), expected);
        }
        let none = None::<ArrayView<'_, String, Ix2>>;
        assert_eq!(Argument::<Filled>::into_tensor(none), Ok(None));
    }
}
