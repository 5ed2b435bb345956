use pytriton::prelude::*;

#[model(name = "m" parameters(a = "b"))]
fn f(x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 3: #[model(name = "m", parameters(a = "b"))]
