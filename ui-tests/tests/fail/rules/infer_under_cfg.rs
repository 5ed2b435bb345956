use pytriton::prelude::*;

struct S;

#[model(name = "m")]
impl S {
    #[load]
    fn load() -> Self {
        Self
    }

    #[infer]
    #[cfg(any())]
    fn infer(&self, x: Array2<f32>) -> Array2<f32> {
        x
    }
}

fn main() {}

//~ 13:
