use ndarray_old::ArrayView2;

#[pytriton::model(name = "m")]
fn f(_x: ArrayView2<f32>) -> pytriton::ndarray::Array2<f32> {
    todo!()
}

fn main() {}

//~ 1: use pytriton::ndarray::ArrayView2;
