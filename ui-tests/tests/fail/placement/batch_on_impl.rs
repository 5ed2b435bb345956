use pytriton::prelude::*;

struct S;
#[pytriton::model(name = "m")]
#[batch]
impl S {
    #[load] fn load() -> Self { Self }
    #[infer] fn infer(&self, x: Array2<f32>) -> Array2<f32> { x }
}

fn main() {}

//~ 5:
//~ 8:     #[infer] #[batch] fn infer(&self, x: Array2<f32>) -> Array2<f32> { x }
