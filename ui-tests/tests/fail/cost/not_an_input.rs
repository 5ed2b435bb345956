use pytriton::prelude::*;

#[pytriton::model(name = "m", max_batch_cost = 16384)]
#[batch]
#[cost(context)]
fn f(tokens: ArrayView2<i64>, context: &Context) -> Array2<i64> {
    &tokens + i64::from(context.instance())
}

fn main() {}

//~ 5: #[cost(tokens)]
