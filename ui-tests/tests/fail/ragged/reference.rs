use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[batch]
fn f(tokens: &Ragged<i64>) -> Array2<i64> {
    Array2::zeros((tokens.len(), 1))
}

fn main() {}

//~ 5: fn f(tokens: Ragged<i64>) -> Array2<i64> {
