use pytriton::prelude::*;

struct Sums;

#[pytriton::model(name = "m")]
fn f(#[sequence] _sums: &mut Sums, x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 3: #[derive(Default)]
//~ 3: struct Sums;
