use pytriton::prelude::*;

#[pytriton::model(name = "Half", client = f16)]
fn half(x: Array2<f32>) -> Array2<f32> {
    x / 2.0
}

fn main() {}
//~ 3: #[pytriton::model(name = "Half", client = MyModel)]
