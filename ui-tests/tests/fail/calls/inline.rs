use pytriton::prelude::*;
use pytriton::error::CallError;

#[pytriton::model(name = "Double", client = Double)]
#[batch]
fn double(x: ArrayView2<f32>, #[first_value] by: f32) -> Array2<f32> {
    &x * by
}

#[pytriton::model(name = "Caller", inline = true)]
#[batch]
fn caller(x: ArrayView2<f32>, double: &Call<Double>) -> Result<Array2<f32>, CallError> {
    double.call(x, 2.0).wait()
}

fn main() {}
//~ 10: #[pytriton::model(name = "Caller")]
