use pytriton::prelude::*;

struct S;

#[model(name = "m")]
impl S {
    #[load]
    fn load() -> Self {
        Self
    }

    #[infer]
    fn one(&self, _x: Array2<f32>) -> Array2<f32> {
        todo!()
    }

    #[infer]
    #[batch]
    fn two(&self, #[first_value] _x: f32) -> Array2<f32> {
        todo!()
    }
}

fn main() {}

//~ 17:
//~ 18:
//~ 19:     fn two(&self, _x: f32) -> Array2<f32> {
