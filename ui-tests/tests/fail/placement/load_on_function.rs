use pytriton::prelude::*;

#[pytriton::model(name = "m")]
#[load]
fn f(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 3: struct S;
//~ 3: #[pytriton::model(name = "m")]
//~ 3: impl S {
//~ 4: #[load]
//~ 4: fn load() -> Self { Self }
//~ 4: #[infer]
//~ 5: fn f(&self, x: ArrayView2<f32>) -> Array2<f32> {
//~ 7: }
//~ 7: }
