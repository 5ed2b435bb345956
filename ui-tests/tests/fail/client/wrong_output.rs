use pytriton::client::Typed;
use pytriton::prelude::*;

#[pytriton::model(name = "Linear", client = Linear)]
#[batch]
fn linear(x: ArrayView2<f32>, #[first_value] scale: f32) -> Array2<f32> {
    &x * scale
}

fn ask(client: &Typed<Linear>, x: &Array2<f32>) {
    let _: Array2<f64> = client.call(x, 2.0).unwrap();
}

fn main() {}
//~ 11:     let _: Array2<f32> = client.call(x, 2.0).unwrap();
