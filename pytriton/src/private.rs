//! Not public API. Used by generated code.

pub use pytriton_runtime::inventory;
pub use pytriton_runtime::model::{
    ArrayInput, Call, CallMode, DynamicBatching, Execution, Instance, Location, ModelDeclaration,
    ModelError, ModelSpec, OutputField, OutputOverride, Outputs, Priorities, QueuePolicy,
    ReturnType, ScalarInput, Step, TensorDeclaration, TimeoutAction, array_input, loaded,
    output_field, outputs, responses, scalar_input,
};
pub use pytriton_runtime::ndarray;
pub use pytriton_runtime::server::run;
pub use pytriton_runtime::tensor::{DataType, Tensor};
