use pytriton::prelude::*;

struct Sums;
struct S;
#[pytriton::model(name = "m")]
impl S {
    #[load] fn load() -> Self { Self }
    fn other(&self) {}
    #[infer] #[sequence] fn infer(&self, x: Array2<f32>) -> Array2<f32> { x }
}

fn main() {}

//~ 9:     #[infer] fn infer(&self, x: Array2<f32>) -> Array2<f32> { x }
