use pytriton::prelude::*;

struct S;

impl S {
    #[load]
    fn load() -> Self {
        Self
    }
}

fn main() {}

//~ 5: #[pytriton::model(name = "m")]
//~ 5: impl S {
//~ 6:     #[infer]
//~ 6:     fn infer(&self, x: Array2<f32>) -> Array2<f32> {
//~ 6:         x
//~ 6:     }
//~ 6:
//~ 6:     #[load]
