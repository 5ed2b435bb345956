//! Models: what a macro declares, what is registered, and the door to the user's function. Pure: no I/O, no tasks.
//!
//! `#[pytriton::model]` writes a [`ModelDeclaration`] into the binary. At start the [`Registry`] turns every declaration
//! into a checked [`ModelSpec`]. A request is checked against its spec ([`Request::check`]), waits, and then a batch of
//! requests goes through the model's pipeline ([`Step`]) into the function as a [`Call`]; what the function returned is
//! checked, cut by the seams of the batch and given back ([`execute`]).

mod call;
mod check;
#[cfg(test)]
mod check_tests;
mod context;
mod declaration;
mod error;
mod execute;
mod input_type;
mod inputs;
mod loaded;
mod output_type;
mod outputs;
mod parameters;
mod pipeline;
mod registry;
mod request;
mod returned;
mod spec;

pub use call::{Call, Execution, Instance, Loader};
pub use context::Context;
pub use declaration::{
    CallMode, DynamicBatching, Location, ModelDeclaration, OutputOverride, Priorities, QueuePolicy,
    Step, TensorDeclaration, TimeoutAction,
};
pub(crate) use error::seconds;
pub use error::{ModelError, RegistryError, RequestError, RequestId};
pub use execute::{Executed, execute};
pub(crate) use execute::{caught, execute_calls, panic_message};
pub use input_type::{ArrayInput, ScalarInput, array_input, scalar_input};
pub use loaded::loaded;
pub use output_type::{OutputField, ReturnType, output_field, outputs, responses};
pub use outputs::{FunctionError, Output, Outputs, Responses, declaration, output};
pub use parameters::{ParameterValue, Parameters};
pub use registry::Registry;
pub use request::{InferInput, InferRequest, Request, RequestedOutput};
pub use returned::{Response, Returned};
pub use spec::{ModelSpec, TensorSpec};
