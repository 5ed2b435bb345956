//! Not public API. Used by generated code.

pub use pytriton_runtime::call::{
    ArrayInput, Call, Execution, Instance, ModelError, OutputField, Outputs, ReturnType,
    ScalarInput, array_input, loaded, output_field, outputs, responses, scalar_input,
};
pub use pytriton_runtime::inventory;
pub use pytriton_runtime::model::{
    CallMode, FirstValue, Location, ModelSpec, OutputOverride, QueuePolicy, TensorDeclaration,
    TimeoutAction,
};
pub use pytriton_runtime::ndarray;
pub use pytriton_runtime::registry::{
    DynamicBatchingDeclaration, ModelDeclaration, PrioritiesDeclaration,
};
pub use pytriton_runtime::server::run;
pub use pytriton_runtime::tensor::{DataType, Tensor};
