use pytriton::prelude::*;

#[pytriton::model(name = "m", inline = true)]
async fn f(x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 3: #[pytriton::model(name = "m")]
