use pytriton::prelude::*;

struct S;

impl S {
    #[load]
    fn load() -> Self {
        Self
    }

    #[infer]
    #[batch]
    fn infer(&self, _x: Array2<f32>, #[first_value] _y: f32) -> Array2<f32> {
        todo!()
    }
}

fn main() {}

//~ 5: #[pytriton::model(name = "m")]
//~ 5: impl S {
