use std::ffi::CString;

use pytriton_backend::channel::{TensorNames, Welcome};

use crate::model::{ModelSpec, TensorSpec};

use super::datatype_number;

/// What the backend is told of a model.
pub(crate) fn welcome(spec: &ModelSpec) -> Welcome {
    Welcome {
        names: names(spec),
        batches_in_flight: spec.batches_in_flight,
    }
}

/// The tensors of a model as the backend knows them.
pub(crate) fn names(spec: &ModelSpec) -> TensorNames {
    let outputs = spec.outputs.iter();
    TensorNames {
        batching: spec.batching(),
        inputs: spec.inputs.iter().map(name).collect(),
        outputs: outputs
            .map(|output| (name(output), datatype_number(output.datatype)))
            .collect(),
    }
}

/// A name with a zero byte in it is in no request, so that nothing is lost with it.
fn name(tensor: &TensorSpec) -> CString {
    CString::new(tensor.name).unwrap_or_default()
}
