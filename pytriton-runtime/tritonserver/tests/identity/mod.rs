//! The model of the tests that are separate binaries.

use ndarray::Ix2;
use pytriton_core::call::{Call, Execution, Instance};
use pytriton_core::registry::{ModelDeclaration, ModelOptions};
use pytriton_core::testing;

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

/// Returns its input, in batches of at most eight rows that wait for nothing.
pub(crate) const IDENTITY: ModelDeclaration = ModelDeclaration {
    options: ModelOptions {
        dynamic_batching: false,
        ..testing::IDENTITY.options
    },
    load: |_| Ok(Box::new(Identity)),
    ..testing::IDENTITY
};
