use pytriton::prelude::*;

#[pytriton::model(name = "Twice", max_batch_size = 4)]
#[batch]
fn first(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}
