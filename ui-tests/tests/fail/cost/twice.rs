use pytriton::prelude::*;

#[pytriton::model(name = "m", max_batch_cost = 16384)]
#[batch]
#[cost(tokens)]
#[cost(mask)]
fn f(tokens: ArrayView2<i64>, mask: ArrayView2<i64>) -> Array2<i64> {
    &tokens * &mask
}

fn main() {}

//~ 6:
