//! Models with optional inputs.

use pytriton::prelude::*;

/// L0_input_validation: returns zero, whatever the inputs are.
#[pytriton::model(name = "input_all_required", batching = false)]
#[output(name = "OUTPUT0", shape = [1])]
fn all_required(
    #[input(name = "INPUT0")] _: ArrayView1<f32>,
    #[input(name = "INPUT1")] _: ArrayView1<f32>,
    #[input(name = "INPUT2")] _: ArrayView1<f32>,
) -> Array1<f32> {
    array![0.0]
}

/// Does the same with one optional input.
#[pytriton::model(name = "input_optional", batching = false)]
#[output(name = "OUTPUT0", shape = [1])]
fn one_optional(
    #[input(name = "INPUT0")] _: ArrayView1<f32>,
    #[input(name = "INPUT1")] _: ArrayView1<f32>,
    #[input(name = "INPUT2")] _: ArrayView1<f32>,
    #[input(name = "INPUT3")] _: Option<ArrayView1<f32>>,
) -> Array1<f32> {
    array![0.0]
}

/// Does the same without a required input.
#[pytriton::model(name = "input_all_optional", batching = false)]
#[output(name = "OUTPUT0", shape = [1])]
fn all_optional(
    #[input(name = "INPUT0")] _: Option<ArrayView1<f32>>,
    #[input(name = "INPUT1")] _: Option<ArrayView1<f32>>,
    #[input(name = "INPUT2")] _: Option<ArrayView1<f32>>,
) -> Array1<f32> {
    array![0.0]
}

/// L0_optional_input: each output is the input in the same position, or zero without it.
#[pytriton::model(
    name = "identity_2_float32",
    max_batch_size = 4,
    preferred_batch_size = [4],
    max_queue_delay_microseconds = 5_000_000
)]
#[fill_optionals(first = 0.0, second = 0.0)]
#[batch]
#[output(name = "OUTPUT0", shape = [1])]
#[output(name = "OUTPUT1", shape = [1])]
fn identity_2(
    #[input(name = "INPUT0", shape = [1])] first: ArrayView2<f32>,
    #[input(name = "INPUT1", shape = [1])] second: ArrayView2<f32>,
) -> (Array2<f32>, Array2<f32>) {
    (first.to_owned(), second.to_owned())
}
