use std::error::Error as StdError;
use std::fmt::Display;

use super::Error;

/// An error type of a program that determines the status of its errors.
///
/// The client of a function that returns this type receives the status and the message of
/// [`into_error`](Self::into_error). The trait also applies to the items of iterators and streams,
/// to the entries of a function that takes `&[Request]`, to `#[sequence]`, and to `#[load]`, whose
/// error has no status.
///
/// `?` in a function that returns [`Error`] does not call it, because [`Error`] already implements
/// `From` for all standard errors. Return your own type, or write
/// `.map_err(IntoError::into_error)?`.
///
/// # Examples
///
/// ```
/// use std::fmt;
///
/// use pytriton_core::error::{Error, ErrorKind, IntoError};
///
/// #[derive(Debug)]
/// struct NoSuchAccount(u32);
///
/// impl fmt::Display for NoSuchAccount {
///     fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
///         write!(f, "there is no account {}", self.0)
///     }
/// }
///
/// impl std::error::Error for NoSuchAccount {}
///
/// impl IntoError for NoSuchAccount {
///     fn into_error(self) -> Error {
///         Error::not_found(self)
///     }
/// }
///
/// assert_eq!(NoSuchAccount(7).into_error().kind(), ErrorKind::NotFound);
/// ```
pub trait IntoError: Display {
    /// Converts the error to one with a kind.
    fn into_error(self) -> Error;
}

impl IntoError for Error {
    fn into_error(self) -> Error {
        self
    }
}

impl IntoError for Box<dyn StdError + Send + Sync + '_> {
    fn into_error(self) -> Error {
        Error::of_std(&*self)
    }
}

impl IntoError for Box<dyn StdError + '_> {
    fn into_error(self) -> Error {
        Error::of_std(&*self)
    }
}
