use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(x: &Parameters, y: Array2<f32>) -> Result<Array2<f32>, &str> {
    x.str("").map(|_| y).ok_or("")
}

fn main() {}
