use pytriton::prelude::*;

#[model(name = "m", max_batch_size = 8)]
#[batch]
fn f(x: Arrayview2<f32>) -> Array2<F32> {
    x.to_owned()
}

fn main() {}

//~ 5: fn f(x: ArrayView2<f32>) -> Array2<f32> {
