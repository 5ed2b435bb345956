use pytriton::prelude::*;

#[model(name = "m")]
#[batch]
fn f(x: Array2<f32>) -> Array2<f32> {
    (x
}

fn main() {}

//~ 6:     x
