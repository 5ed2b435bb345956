use pytriton::prelude::*;

struct S<T>(T);

#[pytriton::model(name = "m")]
impl<T> S<T> {
    #[load] fn load() -> Self { todo!() }
    #[infer] fn infer(&self, x: Array2<f32>) -> Array2<f32> { x }
}

fn main() {}

//~ 6: impl S<f32> {
