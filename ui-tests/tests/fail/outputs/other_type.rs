use pytriton::prelude::*;

struct Reply;

#[pytriton::model(name = "m")]
fn f(_x: Array2<f32>) -> Reply {
    Reply
}

fn main() {}

//~ 6: fn f(_x: Array2<f32>) -> Array2<f32> {
//~ 7:     todo!()
