//! Functions that respond at once.

use pytriton::prelude::*;

/// With a batch axis and a `#[first_value]` input.
#[pytriton::model(name = "Scale", max_batch_size = 16)]
#[output(name = "y")]
#[batch]
fn scale(x: ArrayView2<f32>, #[first_value] scale: f32) -> Array2<f32> {
    &x * scale
}

/// Without a batch axis, with two outputs.
#[pytriton::model(name = "AddSub", batching = false)]
fn add_sub(a: ArrayView1<i32>, b: ArrayView1<i32>) -> (Array1<i32>, Array1<i32>) {
    (&a + &b, &a - &b)
}

/// The parameters and headers of the request, as lines.
#[pytriton::model(name = "Said", batching = false)]
fn parameters_as_text(x: ArrayView1<f32>, parameters: &Parameters) -> Array1<String> {
    let lines = parameters
        .iter()
        .map(|(name, value)| format!("{name}={value}"));
    Array1::from_elem(x.len(), lines.collect::<Vec<_>>().join("\n"))
}

/// Fails for negative values.
#[pytriton::model(name = "Strict", max_batch_size = 16)]
#[batch]
fn strict(x: ArrayView2<f32>) -> Result<Array2<f32>, String> {
    match x.iter().find(|value| **value < 0.0) {
        Some(value) => Err(format!("{value} is below zero")),
        None => Ok(x.to_owned()),
    }
}

#[pytriton::model(name = "Versioned", version = 1, batching = false)]
fn first_version(x: ArrayView1<i32>) -> Array1<i32> {
    &x + 1
}

#[pytriton::model(name = "Versioned", version = 3, batching = false)]
fn third_version(x: ArrayView1<i32>) -> Array1<i32> {
    &x + 3
}

/// The running sum of a sequence.
struct Sum;

#[pytriton::model(name = "Sum", max_batch_size = 4)]
impl Sum {
    #[load]
    fn load() -> Self {
        Self
    }

    #[sequence]
    fn nothing(&self) -> i64 {
        0
    }

    #[infer]
    fn add(&self, x: ArrayView2<i64>, #[sequence] sum: &mut i64) -> Array2<i64> {
        *sum += x.sum();
        Array2::from_elem((1, 1), *sum)
    }
}

/// Returns 256 KiB; the configuration contains the size.
#[pytriton::model(name = "Large", max_batch_size = 8)]
#[output(name = "y", shape = [65_536])]
#[batch]
fn large(#[input(shape = [65_536])] x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}
