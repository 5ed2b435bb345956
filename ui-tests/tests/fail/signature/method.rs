use pytriton::prelude::*;

struct S;
impl S {
    #[pytriton::model(name = "m")]
    fn f(&self, x: Array2<f32>) -> Array2<f32> { x }
}

fn main() {}

//~ 4: #[pytriton::model(name = "m")]
//~ 4: impl S {
//~ 4:     #[load] fn load() -> Self { Self }
//~ 5:     #[infer]
