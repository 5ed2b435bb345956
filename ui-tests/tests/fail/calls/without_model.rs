use pytriton::prelude::*;
use pytriton::Error;

#[pytriton::model(name = "Double", client = Double)]
#[batch]
fn double(x: ArrayView2<f32>, #[first_value] by: f32) -> Array2<f32> {
    &x * by
}

#[pytriton::model(name = "Caller")]
#[batch]
async fn caller(x: ArrayView2<'_, f32>, double: &Call) -> Result<Array2<f32>, Error> {
    Ok(double.call(x, 2.0).await?)
}

fn main() {}
//~ 12: async fn caller(x: ArrayView2<'_, f32>, double: &Call<Double>) -> Result<Array2<f32>, Error> {
