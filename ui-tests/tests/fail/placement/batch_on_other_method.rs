use pytriton::prelude::*;

struct S;
#[pytriton::model(name = "m")]
impl S {
    #[load] fn load() -> Self { Self }
    #[infer] fn infer(&self, x: Array2<f32>) -> Array2<f32> { x }
    #[batch]
    fn other() {}
}

fn main() {}

//~ 7:     #[infer] #[batch] fn infer(&self, x: Array2<f32>) -> Array2<f32> { x }
//~ 8:
