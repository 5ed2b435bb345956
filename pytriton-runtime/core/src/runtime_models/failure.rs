use std::error::Error;
use std::fmt;

use crate::call::{ModelError, function_error};
use crate::model::ModelSpec;

/// An error of a function: any error or string, converted by `?`. The client receives its message.
///
/// # Examples
///
/// ```
/// use pytriton_core::runtime_models::Failure;
///
/// fn half(text: &str) -> Result<u32, Failure> {
///     let number: u32 = text.parse()?;
///     match number % 2 {
///         0 => Ok(number / 2),
///         _ => Err("it is odd".into()),
///     }
/// }
/// assert_eq!(half("4").unwrap(), 2);
/// assert_eq!(half("5").unwrap_err().to_string(), "it is odd");
/// ```
pub struct Failure(Box<dyn Error + Send + Sync>);

impl Failure {
    /// Converts the error. An error from reading an input keeps its kind, and others are errors of
    /// the function.
    pub(super) fn of_call(self, model: &ModelSpec) -> ModelError {
        match self.0.downcast::<ModelError>() {
            Ok(error) => *error,
            Err(error) => function_error(model, &error),
        }
    }
}

impl<E: Into<Box<dyn Error + Send + Sync>>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
