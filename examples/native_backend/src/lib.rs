use pytriton::prelude::*;

// The same function as in the example `identity`, to which `benches/tritonserver` compares it.
#[pytriton::model(name = "Identity", max_batch_size = 16)]
fn identity(#[input(name = "INPUT_1")] input: ArrayView2<f32>) -> Array2<f32> {
    input.to_owned()
}

pytriton::backend!();
