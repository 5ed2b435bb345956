//! Not public API. Used by generated code.

pub use pytriton_runtime::inventory;
pub use pytriton_runtime::model::{
    Call, CallMode, DynamicBatching, Execution, Instance, Location, ModelDeclaration, ModelError,
    Output, OutputOverride, Outputs, QueuePolicy, Responses, Step, TensorDeclaration,
    TimeoutAction, declaration, output,
};
pub use pytriton_runtime::ndarray;
pub use pytriton_runtime::tensor::{DataType, Element, Tensor};
