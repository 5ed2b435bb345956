use pytriton::prelude::*;

struct Sums;
struct S;
#[pytriton::model(name = "m")]
impl S {
    #[load] fn load() -> Self { Self }
    #[sequence] fn start(&mut self) -> Sums { Sums }
    #[infer] fn infer(&self, #[sequence] _sums: &mut Sums, x: Array2<f32>) -> Array2<f32> { x }
}

fn main() {}

//~ 8:     #[sequence] fn start(&self) -> Sums { Sums }
