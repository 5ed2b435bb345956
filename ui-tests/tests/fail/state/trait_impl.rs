struct S;

#[pytriton::model(name = "m")]
impl Drop for S {
    fn drop(&mut self) {}
}

fn main() {}

//~ 1: use pytriton::{infer, load};
//~ 1: struct S;
//~ 4: impl S {
//~ 5:     #[load]
//~ 5:     fn load() -> Self { Self }
//~ 5:     #[infer]
//~ 5:     fn infer(&self, x: pytriton::ndarray::Array2<f32>) -> pytriton::ndarray::Array2<f32> { x }
