use pytriton::prelude::*;

#[pytriton::onnx("../../../../ui-tests/../tests/onnx/files/affine.onnx", name = "m")]
fn network(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 4: struct Network;
//~ 5:
//~ 6:
