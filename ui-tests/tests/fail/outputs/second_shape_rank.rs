use pytriton::prelude::*;

#[model(name = "m")]
#[output(shape = [2])]
#[output(shape = [1, 2])]
fn f(_x: Array2<f32>) -> (Array2<f32>, Array2<f32>) {
    todo!()
}

fn main() {}

//~ 5: #[output(shape = [2])]
