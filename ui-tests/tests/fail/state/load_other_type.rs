use pytriton::prelude::*;

struct S;
#[model(name = "m")]
impl S {
    #[load]
    fn load() -> String { todo!() }
    #[infer]
    fn infer(&self, _x: Array2<f32>) -> Array2<f32> { todo!() }
}

fn main() {}

//~ 7:     fn load() -> Self { todo!() }
