use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[output(shape = [1, 2])]
fn f(_x: Array2<f32>) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 4: #[output(shape = [2])]
