//! The conversion of the errors of a return value, for generated code.
//!
//! An error type may implement [`IntoError`], [`std::error::Error`] and `Display` at the same time,
//! so no generic function can choose between them. The types in generated code are concrete:
//! `(&&&ErrorsOf::new(&value)).errors()` calls the method of the first trait that applies.

use std::error::Error as StdError;
use std::fmt::{self, Display};
use std::marker::PhantomData;

use crate::error::{Error, IntoError};

/// The errors that a return value may contain.
pub struct ErrorsOf<R>(PhantomData<fn(&R)>);

impl<R> ErrorsOf<R> {
    /// Returns the errors of this value.
    pub const fn new(_: &R) -> Self {
        Self(PhantomData)
    }
}

impl<R> Clone for ErrorsOf<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for ErrorsOf<R> {}

impl<R> fmt::Debug for ErrorsOf<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ErrorsOf")
    }
}

/// How errors of type `E` are converted.
pub trait ErrorConversion<E> {
    /// Converts an error.
    fn convert(error: E) -> Error;
}

/// Defines a conversion and the trait through which method lookup finds it, in the order of the
/// number of references.
macro_rules! conversions {
    ($($(#[$doc:meta])* $name:ident $lookup:ident $error:ident: $bound:path, [$($reference:tt)*] $convert:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $name {}

        impl<$error: $bound> ErrorConversion<$error> for $name {
            fn convert(error: $error) -> Error {
                $convert(error)
            }
        }

        #[doc = concat!("Selects `", stringify!($name), "`.")]
        pub trait $lookup {
            /// Returns the conversion.
            fn errors(self) -> Converter<$name>;
        }

        impl<T, $error: $bound> $lookup for $($reference)* ErrorsOf<Result<T, $error>> {
            fn errors(self) -> Converter<$name> {
                Converter(PhantomData)
            }
        }

        impl<T, $error: $bound> $lookup for $($reference)* ErrorsOf<Vec<Result<T, $error>>> {
            fn errors(self) -> Converter<$name> {
                Converter(PhantomData)
            }
        }
    )*};
}

conversions! {
    /// The error determines its kind.
    OwnKind ByIntoError E: IntoError, [&&&] IntoError::into_error;
    /// The error has sources.
    WithSources ByStdError E: StdError, [&&] |error| Error::of_std(&error);
    /// The error can only be displayed.
    OnlyText ByDisplay E: Display, [&] |error| Error::of(&error);
}

/// Selects [`Unconverted`] if no other trait applies.
pub trait WithoutErrors {
    /// Returns the conversion.
    fn errors(self) -> Unconverted;
}

impl<R> WithoutErrors for ErrorsOf<R> {
    fn errors(self) -> Unconverted {
        Unconverted
    }
}

/// The value contains no errors, or its type does not compile.
#[derive(Debug)]
pub struct Unconverted;

impl Unconverted {
    /// Returns the value.
    ///
    /// # Errors
    ///
    /// None. The return type is that of [`Converter::result`].
    pub const fn result<R>(self, returned: R) -> Result<R, Error> {
        Ok(returned)
    }
}

/// Converts the errors of a return value by `C`.
#[derive(Debug)]
pub struct Converter<C>(PhantomData<C>);

impl<C> Converter<C> {
    /// Returns the value, in which each error is an [`Error`].
    ///
    /// # Errors
    ///
    /// Returns the converted error if the value is an error.
    pub fn result<R: Fallible<C>>(self, returned: R) -> Result<R::Value, Error> {
        returned.result()
    }
}

/// A return value whose errors are converted by `C`.
pub trait Fallible<C> {
    /// The value if there is no error.
    type Value;

    /// Returns the value.
    ///
    /// # Errors
    ///
    /// Returns the converted error if the value is an error.
    fn result(self) -> Result<Self::Value, Error>;
}

impl<T, E, C: ErrorConversion<E>> Fallible<C> for Result<T, E> {
    type Value = T;

    fn result(self) -> Result<T, Error> {
        self.map_err(C::convert)
    }
}

impl<T, E, C: ErrorConversion<E>> Fallible<C> for Vec<Result<T, E>> {
    type Value = Vec<Result<T, Error>>;

    fn result(self) -> Result<Self::Value, Error> {
        let entries = self.into_iter();
        Ok(entries.map(|entry| entry.map_err(C::convert)).collect())
    }
}
