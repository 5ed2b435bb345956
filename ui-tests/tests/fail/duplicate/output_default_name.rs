use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[output(name = "OUTPUT_2")]
#[output(shape = [1])]
fn f(x: Array2<f32>) -> (Array2<f32>, Array2<f32>) {
    (x.clone(), x)
}

fn main() {}

//~ 4: #[output(name = "y")]
