//! The error that functions return, with a status for the client.

mod attributes;
mod call_error;
mod chain;
mod displayed;
#[expect(
    clippy::module_inception,
    reason = "the module is named after its main type"
)]
mod error;
#[cfg(test)]
mod error_tests;
mod into_error;
mod kind;
mod standard;

pub use call_error::CallError;
pub use error::Error;
pub use into_error::IntoError;
pub use kind::ErrorKind;
