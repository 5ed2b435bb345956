use pytriton::prelude::*;

struct S;
#[pytriton::model(name = "m")]
impl S {
    #[infer] fn infer(&self, x: Array2<f32>) -> Array2<f32> { x }
}

fn main() {}

//~ 5: impl S {
//~ 5:     #[load] fn load() -> Self { Self }
