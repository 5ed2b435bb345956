use pytriton::prelude::*;

#[derive(pytriton::Inputs)]
struct S<'a> {
    x: Option<Ragged<'a, usize>>,
    y: f32,
}

#[model(name = "m")]
#[batch]
fn f(_s: S) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 5:     x: Option<Ragged<'a, u64>>,
//~ 6:     #[first_value] y: f32,
