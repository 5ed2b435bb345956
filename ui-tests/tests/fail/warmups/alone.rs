use pytriton::prelude::*;

#[warmup(name = "one", inputs(x = zero))]
fn f(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {
    let _ = f;
}

//~ 3: #[pytriton::model(name = "m")] #[warmup(name = "one", inputs(x = zero([1])))] #[batch]
