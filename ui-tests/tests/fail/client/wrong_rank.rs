use pytriton::client::Typed;
use pytriton::prelude::*;

#[pytriton::model(name = "Linear", client = Linear)]
#[batch]
fn linear(x: ArrayView2<f32>, #[first_value] scale: f32) -> Array2<f32> {
    &x * scale
}

fn ask(client: &Typed<Linear>, x: &Array1<f32>) {
    let _ = client.call(x, 2.0);
}

fn main() {}
//~ 10: fn ask(client: &Typed<Linear>, x: &Array2<f32>) {
