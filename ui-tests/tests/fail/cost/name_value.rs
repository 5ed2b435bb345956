use pytriton::prelude::*;

#[pytriton::model(name = "m", max_batch_cost = 16384)]
#[batch]
#[cost = "tokens"]
fn f(tokens: ArrayView2<i64>) -> Array2<i64> {
    tokens.to_owned()
}

fn main() {}

//~ 5: #[cost(tokens)]
