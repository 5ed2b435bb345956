use pytriton::prelude::*;

struct S;

#[model(name = "m")]
impl S {
    #[cfg(any())]
    #[load]
    fn load() -> Self {
        Self
    }

    #[infer]
    fn infer(&self, x: Array2<f32>) -> Array2<f32> {
        x
    }
}

fn main() {}

//~ 7:
