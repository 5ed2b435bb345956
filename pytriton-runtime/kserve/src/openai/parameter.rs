use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use half::{bf16, f16};
use ndarray::Ix1;
use pytriton_core::call::{
    ByValue, Call, Cancellation, Context, FunctionError, ModelError, Nothing, Outputs, Parameter,
    Read, ReadNothing, Responses, nothing,
};
use pytriton_core::model::{Declared, Example, InputType};
use pytriton_core::request::{Identity, Parameters};
use pytriton_core::shared_state::SharedState;
use pytriton_protocol::tensor::{DataType, Element};

use super::message::parse_bytes;
use super::{Message, Messages, Piece};

/// A parameter type of a function with `#[openai]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a model with `#[openai]`",
    label = "neither a value nor messages",
    note = "take a value such as `String`, `i64` or `f32`, `Vec<String>`, `Messages`, an `Option` of one, `&Parameters`, `&Identity`, `&Context`, `&Cancellation`, `&Arc<…>` or `&Responses<Piece>`"
)]
pub trait TextParameter {
    /// The declaration of the parameter.
    const DECLARED: Declared;
    /// The element type of the input, or `()` if the parameter is not an input.
    type Element;
    /// The value that the argument is derived from.
    type Storage<'c>;

    /// Like [`Parameter::read`].
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Input`] if the bytes of the input are not valid elements of the type,
    /// or if an element is not a valid message.
    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Storage<'c>, ModelError>;
}

/// The types that implement [`Scalar`](pytriton_protocol::typed::Scalar). Without a list, the
/// compiler would expect that `Vec<String>` implements it in a later version of the crate.
macro_rules! values {
    ($($value:ty),+ $(,)?) => {
        $(
            #[diagnostic::do_not_recommend]
            impl TextParameter for $value {
                const DECLARED: Declared = value::<$value>(false);
                type Element = $value;
                type Storage<'c> = ByValue<$value>;

                fn read<'c>(
                    call: &'c Call<'_>,
                    input: usize,
                ) -> Result<Self::Storage<'c>, ModelError> {
                    call.scalar(input).map(ByValue)
                }
            }

            #[diagnostic::do_not_recommend]
            impl TextParameter for Option<$value> {
                const DECLARED: Declared = value::<$value>(true);
                type Element = $value;
                type Storage<'c> = ByValue<Self>;

                fn read<'c>(
                    call: &'c Call<'_>,
                    input: usize,
                ) -> Result<Self::Storage<'c>, ModelError> {
                    call.optional_scalar(input).map(ByValue)
                }
            }
        )+
    };
}

values! {
    bool, u8, u16, u32, u64, i8, i16, i32, i64, f16, bf16, f32, f64, Vec<u8>, String,
}

impl TextParameter for Vec<String> {
    const DECLARED: Declared = list(false, &[]);
    type Element = String;
    type Storage<'c> = ByValue<Self>;

    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Storage<'c>, ModelError> {
        let texts = call.array::<String, Ix1>(input)?;
        Ok(ByValue(texts.into_owned().into_iter().collect()))
    }
}

impl TextParameter for Option<Vec<String>> {
    const DECLARED: Declared = list(true, &[]);
    type Element = String;
    type Storage<'c> = ByValue<Self>;

    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Storage<'c>, ModelError> {
        let texts = call.optional_array::<String, Ix1>(input)?;
        Ok(ByValue(
            texts.map(|texts| texts.into_owned().into_iter().collect()),
        ))
    }
}

impl TextParameter for Messages {
    const DECLARED: Declared = list(false, &[r#"{"role": "user", "content": "Hello"}"#]);
    type Element = String;
    type Storage<'c> = ByValue<Self>;

    fn read<'c>(call: &'c Call<'_>, input: usize) -> Result<Self::Storage<'c>, ModelError> {
        let texts = call.array::<Vec<u8>, Ix1>(input)?;
        let lengths = || texts.iter().map(Vec::len);
        let messages = lengths().map(|length| size_of::<Message>() + length);
        let parser = lengths().map(parse_bytes).max();
        call.reserve(messages.sum::<usize>() + parser.unwrap_or(0))?;
        let messages = texts.iter().enumerate().map(|(index, text)| {
            let message = Message::parse(text);
            message.map_err(|error| call.message_error(input, index, &error))
        });
        messages.collect::<Result<_, _>>().map(ByValue)
    }
}

/// Parameters that are not inputs are the same as in any function.
macro_rules! injected {
    ($($injected:ty $(where $outputs:ident: $bound:ident)?),+) => {
        $(
            #[diagnostic::do_not_recommend]
            impl $(<$outputs: $bound>)? TextParameter for $injected {
                const DECLARED: Declared = <Self as Parameter>::DECLARED;
                type Element = ();
                type Storage<'c> = <Self as Parameter>::Storage<'c>;

                fn read<'c>(
                    call: &'c Call<'_>,
                    input: usize,
                ) -> Result<Self::Storage<'c>, ModelError> {
                    <Self as Parameter>::read(call, input)
                }
            }
        )+
    };
}

injected!(
    &Parameters,
    &Identity,
    &Context,
    &Cancellation,
    &Responses<O> where O: Pieces,
    &Arc<T> where T: SharedState
);

/// The type parameter of `Responses` with `#[openai]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the text of a model with `#[openai]`",
    label = "not text",
    note = "write `&Responses<Piece>`, or `&Responses<Result<Piece, String>>`"
)]
pub trait Pieces: Outputs {}

impl Pieces for Piece {}

impl<E: FunctionError> Pieces for Result<Piece, E> {}

const fn value<T: Element>(optional: bool) -> Declared {
    Declared::Value(InputType::of::<T>(None, optional))
}

const fn list(optional: bool, example: Example) -> Declared {
    Declared::Input(InputType {
        datatype: DataType::Bytes,
        // Messages are validated when they are read. Each request is a separate call.
        utf8: false,
        check: None,
        rank: Some(1),
        optional,
        ragged: false,
        example,
    })
}

/// Reads the argument for a parameter of this type.
pub struct TextReader<P: ?Sized>(PhantomData<fn(&P)>);

impl<P: ?Sized> TextReader<P> {
    /// The reader.
    pub const NEW: Self = Self(PhantomData);
}

impl<P: ?Sized> fmt::Debug for TextReader<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TextReader")
    }
}

impl<P: TextParameter> Read for TextReader<P> {
    type Storage<'c> = P::Storage<'c>;

    fn read<'c>(self, call: &'c Call<'_>, input: usize) -> Result<Self::Storage<'c>, ModelError> {
        P::read(call, input)
    }
}

impl<P: ?Sized> ReadNothing for &TextReader<P> {
    fn read(self, call: &Call<'_>, _: usize) -> Result<Nothing, ModelError> {
        Err(nothing(call.context()))
    }
}
