use pytriton::prelude::*;

#[pytriton::model(name = "m", max_batch_size = 8)]
#[warmup(name = 1, batch = 2, count = "3", inputs(y = zero, x = file))]
#[warmup(name = "two", inputs = 2)]
#[batch]
fn f(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 4: #[warmup(name = "…", batch_size = 2, count = 1, inputs(x = file("…", [128])))]
//~ 5: #[warmup(name = "two", inputs(x = zero([128])))]
