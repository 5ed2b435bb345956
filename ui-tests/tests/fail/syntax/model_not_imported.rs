use pytriton::{batch, ndarray::Array2};

#[model(name = "m")]
#[batch]
fn f(x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 1: use pytriton::{batch, model, ndarray::Array2};
