struct S;
#[pytriton::model(name = "m")]
impl S {
    #[load] #[infer]
    fn load() -> Self { Self }
}

fn main() {}

//~ 1: use pytriton::{infer, load};
//~ 1: struct S;
//~ 4:     #[load]
//~ 5:     fn load() -> Self { Self }
//~ 5:     #[infer]
//~ 5:     fn infer(&self, x: pytriton::ndarray::Array2<f32>) -> pytriton::ndarray::Array2<f32> { x }
