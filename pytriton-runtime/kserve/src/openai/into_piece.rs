use std::borrow::Cow;

use pytriton_core::call::{
    Call, Convert, ConvertNothing, FunctionError, ModelError, Returned, nothing,
};

use super::Piece;

/// A value that a function with `#[openai]` returns: a [`Piece`] of text, or a type that converts
/// to one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the text of a model with `#[openai]`",
    label = "not text",
    note = "return `String` or `Piece`, an iterator or a stream of them, or a `Result` of one of these"
)]
pub trait IntoPiece {
    /// Returns the piece.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Function`] if the value is an error.
    fn into_piece(self, call: &Call<'_>) -> Result<Piece, ModelError>;
}

macro_rules! texts {
    ($($text:ty),+) => {
        $(
            impl IntoPiece for $text {
                fn into_piece(self, _: &Call<'_>) -> Result<Piece, ModelError> {
                    Ok(Piece::from(self))
                }
            }
        )+
    };
}

texts!(String, &str, Piece);

impl IntoPiece for Cow<'_, str> {
    fn into_piece(self, _: &Call<'_>) -> Result<Piece, ModelError> {
        Ok(Piece::from(self.into_owned()))
    }
}

impl<P: IntoPiece, E: FunctionError> IntoPiece for Result<P, E> {
    fn into_piece(self, call: &Call<'_>) -> Result<Piece, ModelError> {
        self.map_err(|error| call.failed(error))?.into_piece(call)
    }
}

/// The return value of a function with `#[openai]`, for generated code.
#[derive(Debug)]
pub struct Text<P>(pub P);

impl<P: IntoPiece> Convert for Text<P> {
    fn convert(self, call: &Call<'_>) -> Result<Returned, ModelError> {
        call.outputs(self.0.into_piece(call)?)
    }
}

/// Accepts types that are not text. Method lookup finds it if [`Convert`] does not apply.
impl<P> ConvertNothing for &Text<P> {
    fn convert(self, call: &Call<'_>) -> Result<Returned, ModelError> {
        Err(nothing(call.context()))
    }
}

/// The requirement on a return type with `#[openai]`, so that the compiler points at a wrong type.
#[derive(Debug)]
pub struct TextReturnCheck;

impl TextReturnCheck {
    /// A text.
    pub const fn text<P: IntoPiece>() {}
}
