//! The generate extension: flat JSON instead of named tensors, in both directions.
//!
//! A request is one object. A member of an input's name is that input, any other one a parameter; an object `parameters`
//! holds more of both. An answer is one object of the outputs, the response's parameters, `model_name`, `model_version`, and
//! `id` where the request had one, in the order of their names.
//!
//! Source: `HTTPAPIServer::GenerateRequestClass` in Triton 2.51.

mod error;
mod format;
mod request;
mod tensor;
#[cfg(test)]
mod tests;

pub use error::GenerateError;
pub use format::GenerateFormat;
pub use request::decode_generate_request;
