#![deny(warnings)]
use pytriton::prelude::*;
use pytriton_ui_tests::{infer, tensor};

#[pytriton::model(name = "Reverse", batching = false)]
#[sample]
fn reverse(x: ArrayView1<f32>) -> Array1<f32> {
    x.slice(s![..;-1]).to_owned()
}

pub(crate) fn main() {
    let inputs = [("x", tensor::<f32>(&[3], [1.0, 2.0, 3.0]))];
    assert_eq!(
        infer("Reverse", &[&inputs]),
        [Ok(vec![tensor::<f32>(&[3], [3.0, 2.0, 1.0])])]
    );
}
