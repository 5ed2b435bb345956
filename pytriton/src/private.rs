//! Not public API. Used by generated code.

pub use pytriton_runtime::call::{
    Answer, Answered, Call, Convert, ConvertNothing, Detached, Execution, FirstValueParameter,
    FirstValueReader, Instance, ModelError, OutputField, Outputs, Parameter, Read, ReadNothing,
    Reader, Returns, detached, executed, instance, loaded, output_field,
};
pub use pytriton_runtime::decorators::{FillOptional, GroupByValues, PadBatch, Step, step};
pub use pytriton_runtime::inventory;
pub use pytriton_runtime::model::{
    Location, ModelSpec, OutputOverride, QueuePolicy, TensorDeclaration,
};
pub use pytriton_runtime::registry::{
    Argument, FunctionDeclaration, ModelOptions, Signature, dimension_flaw, outputs_flaw, refuse,
    tensor_name_flaw, timeout_action,
};
pub use pytriton_runtime::server::run;
pub use pytriton_runtime::tensor::{DataType, Tensor};
