use pytriton::prelude::*;
use pytriton::Error;

#[pytriton::model(name = "Double", client = Double)]
#[batch]
fn double(x: ArrayView2<f32>, #[first_value] by: f32) -> Array2<f32> {
    &x * by
}

struct Caller(Call<Double>);

#[pytriton::model(name = "Caller")]
impl Caller {
    #[load]
    fn load(double: &Call<Double>) -> Self {
        Self(double.clone())
    }

    #[infer]
    #[batch]
    async fn infer(&self, x: ArrayView2<'_, f32>) -> Result<Array2<f32>, Error> {
        Ok(self.0.call(x, 2.0).await?)
    }
}

fn main() {}
//~ 15:     fn load(double: Call<Double>) -> Self {
