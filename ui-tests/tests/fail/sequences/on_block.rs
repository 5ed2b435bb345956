use pytriton::prelude::*;

struct Sums;
struct S;
#[pytriton::model(name = "m")]
#[sequence]
impl S {
    #[load] fn load() -> Self { Self }
    fn other(&self) {}
    #[infer] fn infer(&self, x: Array2<f32>) -> Array2<f32> { x }
}

fn main() {}

//~ 6: 
//~ 10:     #[infer] fn infer(&self, #[sequence] _state: &mut u64, x: Array2<f32>) -> Array2<f32> { x }
