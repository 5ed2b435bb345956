use pytriton::prelude::*;

#[pytriton::model(name = "m", max_batch_size = 8)]
#[warmup(name = "one", inputs(x = r#zero([128])))]
#[batch]
fn f(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 4: #[warmup(name = "one", inputs(x = zero([128])))]
