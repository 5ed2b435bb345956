//! The door to the user's function. Pure: no I/O, no tasks.
//!
//! A batch of requests goes through the model's steps ([`decorators`](crate::decorators)) into the function as a
//! [`Call`]; what the function returned is checked, cut by the seams of the batch and given back ([`Callee`]).

mod around;
mod arranged;
#[expect(
    clippy::module_inception,
    reason = "the room and the noun share their name"
)]
mod call;
mod context;
mod error;
mod execute;
mod input_type;
mod instance;
mod loaded;
mod output_type;
mod outputs;
#[cfg(test)]
mod parity_tests;
mod part;
mod pipeline;
mod returned;

pub(crate) use arranged::Arranged;
pub use call::Call;
pub use context::Context;
pub use error::ModelError;
pub use execute::{Callee, Executed};
pub(crate) use execute::{caught, panic_message};
pub use input_type::{ArrayInput, ScalarInput, array_input, scalar_input};
pub use instance::{Execution, Instance, Load, Loader};
pub use loaded::loaded;
pub use output_type::{OutputField, ReturnType, output_field, outputs, responses};
pub use outputs::{FunctionError, Output, Outputs, Responses, declaration, output};
pub use part::Part;
pub use returned::Returned;
