use pytriton::prelude::*;

#[model(name = "m")]
#[output(shape = [4294967296, 4294967296, 4294967296])]
fn f(_x: ArrayView2<f32>) -> Array4<f32> {
    todo!()
}

fn main() {}

//~ 4: #[output(shape = [4, 4, 4])]
