use pytriton::prelude::*;

#[derive(Clone)]
struct Config(f32);

#[pytriton::model(name = "Scaled")]
#[batch]
fn scaled(x: ArrayView2<f32>, #[first_value] config: Config) -> Array2<f32> {
    &x * config.0
}

fn main() {}
//~ 8: fn scaled(x: ArrayView2<f32>, #[first_value] config: pytriton::elements::Json<(f32,)>) -> Array2<f32> {
//~ 9:     &x * config.0.0
