use pytriton::prelude::*;

#[pytriton::onnx("../../../../ui-tests/../tests/onnx/files/affine.onnx", name = "m")]
struct Network;

#[pytriton::model(name = "n")]
async fn f(x: ArrayView3<'_, f32>, network: &Call<Network>) -> Result<Array2<f32>, pytriton::Error> {
    Ok(network.call(x).await?)
}

fn main() {}

//~ 7: async fn f(x: ArrayView2<'_, f32>, network: &Call<Network>) -> Result<Array2<f32>, pytriton::Error> {
