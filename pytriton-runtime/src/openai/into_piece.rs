use std::borrow::Cow;

use crate::call::{Call, Convert, ConvertNothing, FunctionError, ModelError, Returned, nothing};

use super::Piece;

/// The item type of a function under `#[openai]`: a [`Piece`] of text, or a type that converts to
/// one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a text of a model under `#[openai]`",
    label = "no text",
    note = "return `String` or `Piece`, an iterator or a stream of them, or a `Result` of one of these"
)]
pub trait IntoPiece {
    /// Converts to a piece.
    ///
    /// # Errors
    ///
    /// [`ModelError::Function`] for an error item.
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
        self.map_err(|error| call.failed(&error))?.into_piece(call)
    }
}

/// The result of a function under `#[openai]`, in generated code.
#[derive(Debug)]
pub struct Text<P>(pub P);

impl<P: IntoPiece> Convert for Text<P> {
    fn convert(self, call: &Call<'_>) -> Result<Returned, ModelError> {
        call.outputs(self.0.into_piece(call)?)
    }
}

/// The same for a type that is not text; used if [`Convert`] does not apply.
impl<P> ConvertNothing for &Text<P> {
    fn convert(self, call: &Call<'_>) -> Result<Returned, ModelError> {
        Err(nothing(call.context()))
    }
}

/// Requires a valid return type under `#[openai]`, so that the compiler points at it.
#[derive(Debug)]
pub struct TextAsked;

impl TextAsked {
    /// A string.
    pub const fn text<P: IntoPiece>() {}
}
