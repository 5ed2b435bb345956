//! Not public API. Used by generated code.

#[cfg(feature = "python")]
pub use pytriton_python as python;
pub use pytriton_runtime::call::{
    ByValue, Call, CallResult, Calling, ErrorsOf, Execution, FirstValueParameter, FirstValueReader,
    Loading, ModelError, Nothing, OutputField, OutputWriter, Outputs, Parameter, Reader,
    ResponseParts, ReturnCheck, ReturnValue, Returns, SequenceParameter, SequenceReader, Start,
    Started, StateKind, block_on, closed, ended, flow, inline_state, iterate, load_declared,
    loaded, loading, made, made_by_default, nothing, output_field, sequenced, starting, stream_of,
};
pub use pytriton_runtime::decorators::*;
pub use pytriton_runtime::inventory;
pub use pytriton_runtime::model::{
    Argument, CallOptions, Declared, Device, InstanceGroup, Location, ModelSpec, OutputOverride,
    QueuePolicy, Surface, TensorDeclaration, Warmup, WarmupData, WarmupInput, instance_count,
};
pub use pytriton_runtime::openai::{Piece, Text, TextParameter, TextReader, TextReturnCheck};
pub use pytriton_runtime::registry::{
    FunctionDeclaration, ModelOptions, SequenceScheduling, Signature,
    VersionPolicyDeclaration as VersionPolicy, all_valid, argument_indexes, callers_signature,
    client_flaw, dimension_flaw, labels_flaw, override_flaw, refuse, refuse_fields, refuse_outputs,
    step, tensor_name_flaw, timeout_action, timeout_action_flaw, vectors_flaw, violation_if,
    warmup_fields_flaw, with_fields,
};
pub use pytriton_runtime::server::Cli;
pub use pytriton_runtime::tensor::{DataType, Tensor};

pub use crate::__typed as typed;
pub use crate::main_macro::{Main, MainExit, is_main};
#[cfg(feature = "test-util")]
pub use crate::testing::attribute::start_paused;
#[cfg(feature = "embedded")]
pub use crate::testing::attribute::{TestParameter, run, run_async};

/// The traits whose methods generated code calls, imported anonymously so that they cannot shadow
/// the user's names.
pub mod methods {
    pub use pytriton_runtime::call::{
        ByDisplay as _, ByIntoError as _, ByStdError as _, Convert as _, ConvertNothing as _,
        LocalState as _, Read as _, ReadNothing as _, ReturnsNothing as _, SendState as _,
        WithoutErrors as _,
    };
}
