use pytriton::prelude::*;

#[derive(pytriton::Inputs)]
struct S(Array2<f32>);

#[model(name = "m")]
#[batch]
fn f(_s: S) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 4: struct S { x: Array2<f32> }
