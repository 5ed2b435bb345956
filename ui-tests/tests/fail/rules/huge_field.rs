use pytriton::prelude::*;

#[derive(Outputs)]
struct Both {
    #[output(shape = [4294967296, 4294967296, 4294967296])]
    a: Array4<f32>,
}

#[model(name = "m")]
fn f(_x: ArrayView2<f32>) -> Both {
    todo!()
}

fn main() {}

//~ 5:     #[output(shape = [4, 4, 4])]
