#![deny(warnings)]
use pytriton::prelude::*;
use pytriton_ui_tests::infer;

#[pytriton::model(name = "Constant", batching = false)]
fn constant() -> Array1<f32> {
    array![1.0]
}

pub(crate) fn main() {
    assert!(infer("Constant", &[&[]])[0].is_ok());
}
