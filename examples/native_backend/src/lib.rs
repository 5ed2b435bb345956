use pytriton::prelude::*;

#[pytriton::model(name = "Identity", max_batch_size = 64)]
#[batch]
fn identity(#[input(name = "INPUT_1")] input: ArrayView2<f32>) -> Array2<f32> {
    input.to_owned()
}

pytriton::backend!();
