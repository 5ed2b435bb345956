use pytriton::prelude::*;

struct S;
#[pytriton::model(name = "m")]
impl S {
    #[load] fn load() -> Option<Self> { None }
    #[infer] fn infer(&self, x: Array2<f32>) -> Array2<f32> { x }
}

fn main() {}

//~ 6:     #[load] fn load() -> Self { Self }
