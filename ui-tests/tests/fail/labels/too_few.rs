use pytriton::prelude::*;

#[model(name = "m", max_batch_size = 8)]
#[batch]
#[output(shape = [3], labels = "no\nyes")]
fn f(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 5: #[output(shape = [2], labels = "no\nyes")]
