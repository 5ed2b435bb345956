use std::borrow::Cow;

use crate::call::{Call, Convert, ConvertNothing, FunctionError, ModelError, Returned, nothing};

use super::Piece;

/// What a function under `#[openai]` answers with: a [`Piece`] of text, or what becomes one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a text of a model under `#[openai]`",
    label = "no text",
    note = "return `String` or `Piece`, an iterator or a stream of them, or a `Result` of one of these"
)]
pub trait IntoPiece {
    /// The piece.
    ///
    /// # Errors
    ///
    /// [`ModelError::Function`] when an error came in its place.
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

/// What a function under `#[openai]` returned, as generated code has it.
#[derive(Debug)]
pub struct Text<P>(pub P);

impl<P: IntoPiece> Convert for Text<P> {
    fn convert(self, call: &Call<'_>) -> Result<Returned, ModelError> {
        call.outputs(self.0.into_piece(call)?)
    }
}

/// The same of a type that is no text: it is found where [`Convert`] is not.
impl<P> ConvertNothing for &Text<P> {
    fn convert(self, call: &Call<'_>) -> Result<Returned, ModelError> {
        Err(nothing(call.context()))
    }
}

/// What a return type must be under `#[openai]`, asked for so that the compiler points at it.
#[derive(Debug)]
pub struct TextAsked;

impl TextAsked {
    /// A text.
    pub const fn text<P: IntoPiece>() {}
}
