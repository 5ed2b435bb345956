use pytriton::prelude::*;

#[derive(pytriton::Inputs)]
struct S {
    x: Array2<f32>,
}

#[model(name = "m", max_batch_size = 8)]
#[warmup(name = "one", inputs(y = zero([4])))]
#[batch]
fn f(s: S, y: ArrayView2<f32>) -> Array2<f32> {
    s.x + y
}

fn main() {}

//~ 5:     x: Option<Array2<f32>>,
//~ 12:     s.x.unwrap_or_default() + y
