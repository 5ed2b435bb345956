use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[output]
fn f(_x: Array2<f32>) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 4: #[output(name = "y")]
