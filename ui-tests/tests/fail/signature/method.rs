use pytriton::prelude::*;

struct S;
impl S {
    #[pytriton::model(name = "m")]
    fn f(&self, x: Array2<f32>) -> Array2<f32> { x }
}

fn main() {}
