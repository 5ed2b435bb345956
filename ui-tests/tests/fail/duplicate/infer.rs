use pytriton::prelude::*;

struct S;
#[pytriton::model(name = "m")]
impl S {
    #[load] fn load() -> Self { Self }
    #[infer] fn infer(&self, x: Array2<f32>) -> Array2<f32> { x }
    #[infer] fn again(&self, x: Array2<f32>) -> Array2<f32> { x }
}

fn main() {}

//~ 8:     fn again(&self, x: Array2<f32>) -> Array2<f32> { x }
