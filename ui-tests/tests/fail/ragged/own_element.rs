use pytriton::prelude::*;

struct Token;

#[pytriton::model(name = "m")]
#[batch]
fn f(tokens: Ragged<Token>) -> Array2<i64> {
    Array2::zeros((tokens.len(), 1))
}

fn main() {}

//~ 7: fn f(tokens: Ragged<u8>) -> Array2<i64> {
