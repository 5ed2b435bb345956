//! Models from ONNX files, on the embedded engine.

#![cfg(feature = "tract")]

use pytriton::error::CallError;
use pytriton::prelude::*;
use pytriton::{ErrorKind, testing};

/// `y = x * weights + bias`.
#[pytriton::onnx("../tests/onnx/files/affine.onnx", name = "Affine", max_batch_size = 8)]
struct Affine;

#[pytriton::onnx("../tests/onnx/files/pair.onnx", name = "Pair", instances = 2)]
#[derive(Debug)]
struct Pair;

#[pytriton::onnx("../tests/onnx/files/fixed.onnx", name = "Fixed", version = 3)]
struct Fixed;

#[pytriton::onnx("../tests/onnx/files/scalar.onnx", name = "Scalar")]
struct Scalar;

#[pytriton::onnx(
    "../tests/onnx/files/two_symbols.onnx",
    name = "Batched",
    batching = true,
    max_queue_delay_microseconds = 100
)]
struct Batched;

/// A function that calls a network.
#[pytriton::model(name = "Twice", client = Twice, max_batch_size = 8)]
#[batch]
async fn twice(x: Array2<f32>, network: &Call<Affine>) -> Result<Array2<f32>, CallError> {
    Ok(network.call(x).await? * 2.0)
}

#[pytriton::test]
async fn typed_calls_have_the_arrays_of_the_file(
    affine: Call<Affine>,
    pair: Call<Pair>,
    fixed: Call<Fixed>,
    scalar: Call<Scalar>,
    twice: Call<Twice>,
    batched: Call<Batched>,
) -> Result<(), CallError> {
    let x = array![[1.0, 0.0, 0.0], [1.0, 1.0, 1.0]];
    let y = array![[1.5, 1.5], [9.5, 11.5]];
    assert_eq!(affine.call(x.view()).await?, y);
    assert_eq!(twice.call(x.view()).await?, y * 2.0);
    let (left, right) = (array![[1.0_f32, 2.0]], array![[0.5_f32, 4.0]]);
    let (sum, difference, same) = pair.call(left, right, array![[i64::MIN]]).await?;
    assert_eq!((sum, difference), (array![[1.5, 6.0]], array![[0.5, -2.0]]));
    assert_eq!(same, array![[i64::MIN]]);
    assert_eq!(
        fixed.call(array![[1.0, 2.0, 3.0, 4.0]]).await?[[0, 3]],
        -4.0
    );
    assert_eq!(scalar.call(array![2.0]).await?, array![-2.0]);
    assert_eq!(
        batched.call(array![[1.0, 2.0]]).await?,
        array![[-1.0, -2.0]]
    );
    Ok(())
}

#[pytriton::test]
async fn inputs_of_different_sizes_are_invalid_arguments(pair: Call<Pair>) {
    let (left, right) = (array![[1.0_f32, 2.0]], array![[0.5_f32]]);
    let error = pair.call(left, right, array![[0]]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
    assert!(error.to_string().contains("`length` is 2 in"), "{error}");
}

#[test]
fn clients_see_the_tensors_of_the_file() {
    let served = testing::serve_registered().unwrap();
    let client = served.client("Affine").unwrap();
    let y: Array2<f32> = client
        .infer_batch([("x", array![[1.0_f32, 0.0, 0.0]])])
        .unwrap()
        .array("y")
        .unwrap();
    assert_eq!(y, array![[1.5, 1.5]]);
    // The file has 3 columns.
    let wrong = client.infer_batch([("x", array![[1.0_f32]])]).unwrap_err();
    assert!(wrong.to_string().contains('x'), "{wrong}");
}
