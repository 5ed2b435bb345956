use pytriton::prelude::*;

#[pytriton::model(name = "m", colour = "blue")]
fn f(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 3: #[pytriton::model(name = "m", description = "blue")]
