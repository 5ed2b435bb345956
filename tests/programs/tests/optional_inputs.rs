//! Inputs that a request may omit, and an output that a response may omit.

use pytriton::error::CallError;
use pytriton::prelude::*;

#[derive(pytriton::Outputs)]
struct Statistics {
    mean: Array2<f64>,
    /// The weighted mean, if the request has weights.
    weighted: Option<Array2<f64>>,
}

#[pytriton::model(name = "Statistics", client = StatisticsModel, max_batch_size = 8)]
#[batch]
fn statistics(x: ArrayView2<f64>, weights: Option<ArrayView2<f64>>) -> Result<Statistics, String> {
    let mean = x.mean_axis(Axis(1)).ok_or("a row has no numbers")?;
    let weighted = weights.map(|weights| {
        let sums = (&x * &weights).sum_axis(Axis(1)) / weights.sum_axis(Axis(1));
        sums.insert_axis(Axis(1))
    });
    Ok(Statistics {
        mean: mean.insert_axis(Axis(1)),
        weighted,
    })
}

#[pytriton::test]
async fn weights_are_optional(statistics: Call<StatisticsModel>) -> Result<(), CallError> {
    let x = array![[1.0, 4.0]];
    let without = statistics.call(&x, None).await?;
    assert_eq!((without.mean, without.weighted), (array![[2.5]], None));
    let with = statistics.call(&x, array![[3.0, 1.0]]).await?;
    assert_eq!(with.weighted, Some(array![[1.75]]));
    Ok(())
}
