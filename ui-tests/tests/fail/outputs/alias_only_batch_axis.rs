use pytriton::prelude::*;

type Row = Array1<f32>;

#[model(name = "m")]
fn f(_x: Array2<f32>) -> Row {
    todo!()
}

fn main() {}

//~ 3: type Row = Array2<f32>;
