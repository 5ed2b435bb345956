use pytriton::prelude::*;

/// The softmax of each row. With a lower temperature, the highest score dominates more.
#[pytriton::model(name = "Softmax", max_batch_size = 64)]
#[batch]
fn softmax(
    scores: ArrayView2<f32>,
    #[first_value] temperature: f32,
) -> Result<Array2<f32>, String> {
    if temperature <= 0.0 {
        return Err(format!("temperature must be positive, found {temperature}"));
    }
    let mut weights = scores.to_owned();
    for mut row in weights.rows_mut() {
        let highest = row.fold(f32::NEG_INFINITY, |highest, &score| highest.max(score));
        row.mapv_inplace(|score| ((score - highest) / temperature).exp());
        row /= row.sum();
    }
    Ok(weights)
}

pytriton::main!();
