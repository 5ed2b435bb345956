//! The generate extension: flat JSON instead of named tensors.
//!
//! A request is an object. A member with the name of an input is that input, and any other member
//! is a parameter. The object `parameters` may contain more of both.
//!
//! A response is an object with the outputs, the response parameters, `model_name` and
//! `model_version`. It also contains the `id` of the request, if any. The members are ordered by
//! name.
//!
//! Source: `HTTPAPIServer::GenerateRequestClass` in Triton 2.51.

mod format;
mod request;
mod tensor;
#[cfg(test)]
mod tests;

pub use format::GenerateFormat;
pub use request::decode_generate_request;
