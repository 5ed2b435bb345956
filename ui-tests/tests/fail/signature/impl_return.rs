use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(x: Array2<f32>) -> Result<Array2<f32>, impl std::fmt::Display> {
    Ok::<_, String>(x)
}

fn main() {}

//~ 4: fn f(x: Array2<f32>) -> Result<Array2<f32>, String> {
