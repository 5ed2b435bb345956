#![deny(warnings)]
use pytriton::prelude::*;
use pytriton_ui_tests::spec;

#[deprecated]
#[model(name = "Old")]
fn old(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

pub(crate) fn main() {
    assert_eq!(spec("Old").max_batch_size, 4);
}
