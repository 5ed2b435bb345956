use pytriton::prelude::*;

struct S;
struct Wrong;

#[model(name = "m")]
impl S {
    #[load]
    fn load() -> Self {
        Self
    }

    #[infer]
    fn infer(&mut self, _x: Array2<f32>) -> Wrong {
        todo!()
    }
}

fn main() {}

//~ 14:     fn infer(&self, _x: Array2<f32>) -> Array2<f32> {
