use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[output(name = "a")]
#[output(name = "b")]
fn f(_x: Array2<f32>) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 5:
