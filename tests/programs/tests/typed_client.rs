//! A typed client of a model in another program: arguments of another type do not compile.

use pytriton::client::Typed;
use pytriton::prelude::*;
use pytriton::testing;

#[pytriton::model(name = "Distance", client = Distance, max_batch_size = 8)]
#[batch]
fn distance(
    #[input(shape = [2])] from: ArrayView2<f64>,
    #[input(shape = [2])] to: ArrayView2<f64>,
) -> Array2<f64> {
    let squares = (&from - &to).mapv(|difference| difference * difference);
    squares
        .sum_axis(Axis(1))
        .mapv(f64::sqrt)
        .insert_axis(Axis(1))
}

#[test]
fn distances_are_returned_for_all_rows() -> Result<(), Box<dyn std::error::Error>> {
    let served = testing::serve_registered()?;
    let distance = Typed::<Distance>::connect(&format!("grpc://{}", served.grpc()))?;
    let from = array![[0.0, 0.0], [1.0, 1.0]];
    let to = array![[3.0, 4.0], [1.0, 1.0]];
    assert_eq!(distance.call(&from, &to)?, array![[5.0], [0.0]]);
    Ok(())
}
