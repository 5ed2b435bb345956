use pytriton::prelude::*;

struct S;
impl S {
    #[infer] fn f(&self) {}
}

fn main() {}

//~ 4: #[pytriton::model(name = "m")]
//~ 4: impl S {
//~ 4:     #[load] fn load() -> Self { Self }
//~ 5:     #[infer] fn f(&self, x: Array2<f32>) -> Array2<f32> { x }
