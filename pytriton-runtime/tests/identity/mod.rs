//! The model of the tests that are separate binaries.

use ndarray::{Array2, Ix2};
use pytriton_runtime::call::{Call, Execution, Instance, Outputs};
use pytriton_runtime::model::{CallMode, InstanceGroup, Location, TensorDeclaration};
use pytriton_runtime::registry::ModelDeclaration;
use pytriton_runtime::tensor::DataType;

const INPUTS: &[TensorDeclaration] = &[TensorDeclaration {
    name: "x",
    datatype: DataType::Fp32,
    rank: Some(2),
    shape: None,
    optional: false,
    description: "",
    example: &[],
    labels: "",
}];

#[derive(Debug)]
struct Identity;

impl Instance for Identity {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let x = call.array::<f32, Ix2>(0)?;
            call.outputs(x.into_owned())
        })
    }
}

/// Returns its input, in batches of at most eight rows.
pub(crate) const IDENTITY: ModelDeclaration = ModelDeclaration {
    name: "Identity",
    description: "",
    version: 1,
    version_policy: None,
    max_batch_size: 8,
    instances: &[InstanceGroup::cpu(1)],
    batches_in_flight: 1,
    inline: false,
    max_call_microseconds: 0,
    unrecoverable_panics: false,
    inputs: INPUTS,
    outputs: <Array2<f32> as Outputs>::DECLARATIONS,
    output_overrides: &[],
    dynamic_batching: None,
    sequence_batching: None,
    response_cache: false,
    parameters: &[],
    call: CallMode::Batch,
    decoupled: false,
    openai: None,
    cancellable: false,
    takes_parameters: false,
    by_parameters: false,
    first_values: &[],
    utf8_inputs: &[],
    steps: &[],
    warmups: &[],
    load: |_| Ok(Box::new(Identity)),
    location: Location {
        package: "tests",
        file: file!(),
        line: line!(),
    },
};
