struct S;
#[pytriton::model(name = "m")]
impl S {
    #[load] fn load() -> Self { Self }
}

fn main() {}

//~ 1: use pytriton::prelude::*;
//~ 1: struct S;
//~ 4:     #[load] fn load() -> Self { Self }
//~ 4:     #[infer] fn infer(&self, x: ArrayView2<f32>) -> Array2<f32> { x.to_owned() }
