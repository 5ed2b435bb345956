use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(_x: Array2<f32>) -> ArrayD<f32> {
    todo!()
}

fn main() {}

//~ 3: #[pytriton::model(name = "m")]
//~ 3: #[output(shape = [-1])]
