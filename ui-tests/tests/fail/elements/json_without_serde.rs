use pytriton::elements::Json;
use pytriton::prelude::*;

#[derive(Clone)]
struct Config(f32);

#[pytriton::model(name = "Scaled")]
#[batch]
fn scaled(x: ArrayView2<f32>, #[first_value] config: Json<Config>) -> Array2<f32> {
    &x * config.0.0
}

fn main() {}
//~ 9: fn scaled(x: ArrayView2<f32>, #[first_value] config: Json<(f32,)>) -> Array2<f32> {
