use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(x: Array2<f32>) -> Array2<f32>
where
    f32: Copy,
{
    x
}

fn main() {}

//~ 5:
//~ 6:
