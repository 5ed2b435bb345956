use pytriton::prelude::*;

#[model(name = "m")]
#[batch]
fn f(x: Array2<f32>) -> Array2<f32> {
    let y = ;
    x
}

fn main() {}

//~ 6:     let y = 1;
//~ 7:     x + y as f32
