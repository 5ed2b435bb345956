use pytriton::prelude::*;

struct S;

#[model(name = "m")]
impl S {
    #[load]
    fn load() -> Self {
        Self
    }

    #[infer]
    #[batch]
    fn infer(&self, #[first_value] scale: f32, x: Array2<f32>) -> Array2<f32> {
        x * scale.
    }
}

fn main() {}

//~ 15:         x * scale
