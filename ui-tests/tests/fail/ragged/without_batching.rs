use pytriton::prelude::*;

#[pytriton::model(name = "m", batching = false)]
fn f(tokens: Ragged<i64>) -> Array1<i64> {
    Array1::zeros(tokens.len())
}

fn main() {}

//~ 3: #[pytriton::model(name = "m")]
//~ 4: #[batch]
//~ 4: fn f(tokens: Ragged<i64>) -> Array2<i64> {
//~ 5:     Array2::zeros((tokens.len(), 1))
