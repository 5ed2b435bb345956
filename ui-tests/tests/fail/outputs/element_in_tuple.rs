use pytriton::prelude::*;

struct Reply;

#[model(name = "m")]
fn f(_x: Array2<f32>) -> (Array2<f32>, Reply) {
    todo!()
}

fn main() {}

//~ 6: fn f(_x: Array2<f32>) -> (Array2<f32>, Array2<f32>) {
