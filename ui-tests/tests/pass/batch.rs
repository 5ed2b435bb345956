#![deny(warnings)]
use pytriton::prelude::*;
use pytriton_runtime::model::CallMode;
use pytriton_ui_tests::{infer, spec, tensor};

/// Adds the number of rows in the call.
#[pytriton::model(name = "Rows", max_batch_size = 16)]
#[batch]
fn rows(x: ArrayView2<u64>) -> Array2<u64> {
    &x + x.nrows() as u64
}

pub(crate) fn main() {
    let spec = spec("Rows");
    assert_eq!((spec.max_batch_size, spec.call), (16, CallMode::Batch));
    assert_eq!(spec.inputs[0].dims, [-1]);
    let one = [("x", tensor::<u64>(&[1, 1], [10]))];
    let two = [("x", tensor::<u64>(&[2, 1], [20, 30]))];
    let expected = [
        Ok(vec![tensor::<u64>(&[1, 1], [13])]),
        Ok(vec![tensor::<u64>(&[2, 1], [23, 33])]),
    ];
    assert_eq!(infer("Rows", &[&one, &two]), expected);
}
