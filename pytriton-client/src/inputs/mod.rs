//! Inputs: arrays of any element type, by name or by position.

#[expect(
    clippy::module_inception,
    reason = "the module is named after its main type"
)]
mod inputs;
mod into_input;
mod into_inputs;
mod into_tensor;

pub use inputs::Inputs;
pub use into_input::IntoInput;
pub use into_inputs::IntoInputs;
pub use into_tensor::IntoTensor;
