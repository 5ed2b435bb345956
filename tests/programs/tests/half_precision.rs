//! Weights and results in half precision.

use pytriton::error::CallError;
use pytriton::prelude::*;

#[pytriton::model(name = "Half", client = Half, max_batch_size = 8)]
#[batch]
fn half(x: ArrayView2<f16>, #[first_value] scale: bf16) -> (Array2<f16>, Array2<bf16>) {
    let scaled = x.mapv(|x| x.to_f32() * scale.to_f32());
    (scaled.mapv(f16::from_f32), scaled.mapv(bf16::from_f32))
}

#[pytriton::test]
async fn both_formats_are_served(half: Call<Half>) -> Result<(), CallError> {
    let x = array![[f16::from_f32(1.5)], [f16::from_f32(-2.0)]];
    let (exact, brain) = half.call(x, bf16::from_f32(2.0)).await?;
    assert_eq!(exact.mapv(f16::to_f32), array![[3.0], [-4.0]]);
    assert_eq!(brain.mapv(bf16::to_f32), array![[3.0], [-4.0]]);
    Ok(())
}
