use pytriton::prelude::*;

#[pytriton::model(name = "m", max_batch_size = 8)]
#[warmup(name = "one", inputs(y = random([4])))]
#[batch]
fn f(
    x: ArrayView2<f32>,
    y: ArrayView2<f32>,
    #[input(shape = [1])] r#type: ArrayView2<f32>,
    z: Option<ArrayView2<f32>>,
) -> Array2<f32> {
    let _ = z;
    &x + &y + &r#type
}

fn main() {}

//~ 4: #[warmup(name = "one", inputs(x = zero([4]), y = random([4]), type = zero))]
