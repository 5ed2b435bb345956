use pytriton::prelude::*;

#[pytriton::model(name = "m", max_batch_cost = 16384)]
#[batch]
#[cost(scale)]
fn f(tokens: ArrayView2<i64>, #[first_value] scale: i64) -> Array2<i64> {
    &tokens * scale
}

fn main() {}

//~ 5: #[cost(tokens)]
