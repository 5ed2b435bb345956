use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[batch]
fn f(x: ArrayView2<i64>, #[first_value] _tokens: Ragged<i64>) -> Array2<i64> {
    x.to_owned()
}

#[pytriton::model(name = "n")]
#[batch]
fn g(x: ArrayView2<i64>, #[first_value] _tokens: Option<Ragged<usize>>) -> Array2<i64> {
    x.to_owned()
}

fn main() {}

//~ 5: fn f(x: ArrayView2<i64>, #[first_value] _tokens: i64) -> Array2<i64> {
//~ 11: fn g(x: ArrayView2<i64>, #[first_value] _tokens: Option<u64>) -> Array2<i64> {
