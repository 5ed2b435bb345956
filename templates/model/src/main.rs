//! A model over the KServe v2 protocol. Replace the function with yours.

use pytriton::prelude::*;

/// Multiplies each row by a factor.
#[pytriton::model(name = "Scale", client = Scale, max_batch_size = 16)]
#[batch]
fn scale(x: ArrayView2<f32>, #[first_value] factor: f32) -> Array2<f32> {
    &x * factor
}

pytriton::main!();

#[cfg(test)]
mod tests {
    use pytriton::error::CallError;

    use super::*;

    #[pytriton::test]
    async fn each_row_is_multiplied(scale: Call<Scale>) -> Result<(), CallError> {
        let x = array![[1.0, 2.0], [3.0, 4.0]];
        let y = scale.call(x, 2.0).await?;
        assert_eq!(y, array![[2.0, 4.0], [6.0, 8.0]]);
        Ok(())
    }
}
