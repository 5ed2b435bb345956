use pytriton::prelude::*;

#[pytriton::model(name = "m", batching = false)]
#[batch]
fn f(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 4: #[sample]
