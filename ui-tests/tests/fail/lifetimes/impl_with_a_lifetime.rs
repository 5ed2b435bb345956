use pytriton::prelude::*;

struct S<'a>(&'a str);

#[model(name = "m")]
impl S<'_> {
    #[load]
    fn load() -> Self {
        Self("")
    }

    #[infer]
    fn infer(&self, x: Array2<f32>) -> Array2<f32> {
        x
    }
}

fn main() {}

//~ 6: impl S<'static> {
