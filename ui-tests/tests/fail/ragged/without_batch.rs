use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(tokens: Ragged<i64>) -> Array2<i64> {
    Array2::zeros((tokens.len(), 1))
}

fn main() {}

//~ 4: #[batch]
//~ 4: fn f(tokens: Ragged<i64>) -> Array2<i64> {
