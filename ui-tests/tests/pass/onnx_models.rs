//! Models of ONNX files have the tensors of the file, and the options of `#[model]`.

#![deny(
    warnings,
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    rust_2018_idioms
)]
#![forbid(unsafe_code, unused)]

use pytriton::config::ModelSpec;
use pytriton::error::CallError;
use pytriton::prelude::*;
use pytriton_ui_tests::spec;

/// The sum and the difference.
#[pytriton::onnx(
    "../tests/onnx/files/pair.onnx",
    name = "Pair",
    max_batch_size = 32,
    preferred_batch_size = [16],
    max_queue_size = 8,
    response_cache = true,
    instances = 2,
    parameters(source = "here"),
)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pair;

#[pytriton::onnx("../tests/onnx/files/pair.onnx", name = "Single", batching = false)]
struct Single;

#[pytriton::onnx(
    "../tests/onnx/files/fixed.onnx",
    name = "FixedAxis",
    description = "four numbers"
)]
struct Fixed;

#[pytriton::onnx("../tests/onnx/files/scalar.onnx", name = "Scalar")]
struct Scalar;

#[pytriton::onnx(
    "../tests/onnx/files/two_symbols.onnx",
    name = "TwoSymbols",
    batching = true
)]
struct Two;

mod inner {
    #[pytriton::onnx("../tests/onnx/files/affine.onnx", name = "InModule")]
    pub(super) struct Network;
}

#[pytriton::model(name = "CallsNetwork", client = CallsNetwork)]
#[batch]
async fn calls(
    x: ArrayView2<'_, f32>,
    network: &Call<inner::Network>,
    fixed: &Call<Fixed>,
) -> Result<Array2<f32>, CallError> {
    let y: Array2<f32> = network.call(x).await?;
    let _: Array2<f32> = fixed.call(Array2::zeros((1, 4))).await?;
    Ok(y)
}

fn dims(spec: &ModelSpec) -> Vec<(&str, &[i64])> {
    let tensors = spec.inputs.iter().chain(&spec.outputs);
    tensors
        .map(|tensor| (&*tensor.name, &*tensor.dims))
        .collect()
}

pub(crate) fn main() {
    let pair = spec("Pair");
    assert_eq!(&*pair.description, "The sum and the difference.");
    assert_eq!(
        dims(&pair),
        [
            ("left/a:0", &[-1_i64] as &[_]),
            ("right", &[-1]),
            ("index", &[1]),
            ("sum", &[-1]),
            ("difference", &[-1]),
            ("same", &[1]),
        ]
    );
    let single = spec("Single");
    assert_eq!(dims(&single)[0], ("left/a:0", &[-1_i64, -1] as &[_]));
    for (name, batching) in [
        ("Pair", true),
        ("Single", false),
        ("FixedAxis", false),
        ("Scalar", false),
        ("TwoSymbols", true),
        ("InModule", true),
    ] {
        assert_eq!(spec(name).batching(), batching, "{name}");
    }
    assert_eq!(
        dims(&spec("Scalar")),
        [("x", &[1_i64] as &[_]), ("y", &[1])]
    );
    assert_eq!(
        dims(&spec("TwoSymbols")),
        [("x", &[2_i64] as &[_]), ("y", &[2])]
    );
    // The struct stays a value.
    assert_eq!(Pair, Pair.clone());
}
