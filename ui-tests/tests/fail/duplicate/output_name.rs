use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[output(name = "y")]
#[output(name = "y")]
fn f(x: Array2<f32>) -> (Array2<f32>, Array2<f32>) {
    (x.clone(), x)
}

fn main() {}

//~ 5: #[output(name = "z")]
