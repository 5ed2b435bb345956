use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[output(name = "a")]
fn f(_x: Array2<f32>) -> (Array2<f32>, Array2<f32>) {
    todo!()
}

fn main() {}

//~ 4: #[output(name = "a")]
//~ 4: #[output(name = "b")]
