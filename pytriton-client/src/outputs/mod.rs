//! The contents of a response.

#[expect(
    clippy::module_inception,
    reason = "the room and the noun share their name"
)]
mod outputs;

pub use outputs::Outputs;
