use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[batch]
fn f(tokens: Ragged<i64>) -> Ragged<i64> {
    tokens
}

fn main() {}

//~ 5: fn f(tokens: Ragged<i64>) -> Array2<f32> {
//~ 6:     Array2::zeros((tokens.len(), 1))
