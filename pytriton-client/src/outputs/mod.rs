//! The contents of a response.

#[expect(
    clippy::module_inception,
    reason = "the module is named after its main type"
)]
mod outputs;

pub use outputs::Outputs;
