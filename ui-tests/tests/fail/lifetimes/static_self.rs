use pytriton::prelude::*;

struct S;

#[model(name = "m")]
impl S {
    #[load]
    fn load() -> Self {
        Self
    }

    #[infer]
    fn infer(&'static self, _x: Array2<f32>) -> Array2<f32> {
        todo!()
    }
}

fn main() {}

//~ 13:     fn infer(&self, _x: Array2<f32>) -> Array2<f32> {
