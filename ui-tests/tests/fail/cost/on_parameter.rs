use pytriton::prelude::*;

#[pytriton::model(name = "m", max_batch_cost = 16384)]
#[batch]
fn f(#[cost] tokens: ArrayView2<i64>) -> Array2<i64> {
    tokens.to_owned()
}

fn main() {}

//~ 4: #[batch]
//~ 4: #[cost(tokens)]
//~ 5: fn f(tokens: ArrayView2<i64>) -> Array2<i64> {
