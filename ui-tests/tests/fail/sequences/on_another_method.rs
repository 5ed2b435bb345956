use pytriton::prelude::*;

struct Sums;
struct S;
#[pytriton::model(name = "m")]
impl S {
    #[load] fn load() -> Self { Self }
    fn other(&self, #[sequence] _sums: &mut Sums) {}
    #[infer] fn infer(&self, x: Array2<f32>) -> Array2<f32> { x }
}

fn main() {}

//~ 8:     fn other(&self, _sums: &mut Sums) {}
