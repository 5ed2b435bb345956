use pytriton::prelude::{Array2, Context, model};

trait Other {
    type Type;
}
impl Other for f32 {
    type Type = Context;
}
type ArrayView2<'a, T> = &'a <T as Other>::Type;

#[model(name = "m")]
fn f(_x: Array2<f32>, _other: ArrayView2<'_, f32>) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 9: type Meant<'a, T> = &'a <T as Other>::Type;
//~ 12: fn f(_x: Array2<f32>, _other: Meant<'_, f32>) -> Array2<f32> {
