use pytriton::prelude::*;

#[pytriton::model(name = "m", inline = true)]
fn f(x: ArrayView2<f32>) -> impl Iterator<Item = Array2<f32>> {
    std::iter::once(x.to_owned())
}

fn main() {}

//~ 3: #[pytriton::model(name = "m")]
