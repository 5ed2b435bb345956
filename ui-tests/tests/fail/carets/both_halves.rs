use pytriton::prelude::*;

struct Silent;
struct Reply;

#[model(name = "m")]
fn f(_x: Array2<f32>) -> Result<Reply, Silent> {
    todo!()
}

fn main() {}

//~ 7: fn f(_x: Array2<f32>) -> Result<Array2<f32>, String> {
