use pytriton::prelude::*;

#[pytriton::model(name = "Who")]
#[batch]
fn who(x: ArrayView2<f32>, _identity: Option<&Identity>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}
//~ 5: fn who(x: ArrayView2<f32>, _identity: &Identity) -> Array2<f32> {
