use pytriton::prelude::ArrayView2;

#[pytriton::model(name = "m")]
fn f(_x: ArrayView2<f32>) -> ndarray_old::Array2<f32> {
    todo!()
}

fn main() {}

//~ 4: fn f(_x: ArrayView2<f32>) -> pytriton::ndarray::Array2<f32> {
