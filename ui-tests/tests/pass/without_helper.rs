#![deny(warnings)]
use pytriton::prelude::*;
use pytriton_ui_tests::{infer, tensor};

#[pytriton::model(name = "RowsWithoutHelper")]
fn rows(x: ArrayView2<u64>) -> Array2<u64> {
    &x + x.nrows() as u64
}

pub(crate) fn main() {
    let one = [("x", tensor::<u64>(&[1, 1], [10]))];
    let two = [("x", tensor::<u64>(&[2, 1], [20, 30]))];
    let expected = [
        Ok(vec![tensor::<u64>(&[1, 1], [11])]),
        Ok(vec![tensor::<u64>(&[2, 1], [22, 32])]),
    ];
    assert_eq!(infer("RowsWithoutHelper", &[&one, &two]), expected);
}
