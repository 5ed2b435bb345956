use pytriton::prelude::*;

struct S;
#[model(name = "m")]
impl S {
    #[load] fn load() -> Self { todo!() }
    #[infer]
    #[cfg(unix)]
    fn infer(&self, _x: Array2<f32>) -> Array2<f32> { todo!() }
    #[infer]
    #[cfg(not(unix))]
    fn infer(&self, _x: Array2<f32>) -> Array2<f32> { todo!() }
}

fn main() {}

//~ 4: #[cfg(unix)]
//~ 4: #[model(name = "m")]
//~ 8:
//~ 10:
//~ 11:
//~ 12:
