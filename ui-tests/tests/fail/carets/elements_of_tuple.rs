use pytriton::prelude::*;

struct Reply;

#[model(name = "m")]
fn f(_x: Array2<f32>) -> Result<(Reply, Array2<f32>, Reply), String> {
    todo!()
}

fn main() {}

//~ 6: fn f(_x: Array2<f32>) -> Result<(Array2<f32>, Array2<f32>, Array2<f32>), String> {
