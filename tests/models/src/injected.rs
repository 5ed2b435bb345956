//! Arguments that are not tensors.

use std::time::Duration;

use pytriton::prelude::*;

/// The parameters that all requests of the call have in common, one per line.
#[pytriton::model(name = "Parameters", max_batch_size = 16)]
#[batch]
fn parameters(x: ArrayView2<f32>, parameters: &Parameters) -> Array2<String> {
    let lines = parameters
        .iter()
        .map(|(name, value)| format!("{name}={value}"));
    let lines: Vec<String> = lines.collect();
    Array2::from_elem((x.nrows(), 1), lines.join("\n"))
}

#[pytriton::model(name = "Context", max_batch_size = 16)]
#[batch]
fn context(x: ArrayView2<f32>, context: &Context) -> (Array2<String>, Array2<u32>) {
    let shape = (x.nrows(), 1);
    (
        Array2::from_elem(shape, context.model().name.to_string()),
        Array2::from_elem(shape, context.instance()),
    )
}

/// The values of the model's parameters, by name.
#[pytriton::model(
    name = "Settings",
    parameters(weights = "/w/a b", "labels.path" = "ü\n\"x\" \\", zone = "")
)]
#[batch]
fn settings(names: ArrayView2<String>, context: &Context) -> Array2<String> {
    let value = |name: &String| context.model().parameter(name).unwrap_or("none");
    names.map(|name| value(name).to_owned())
}

#[pytriton::model(name = "Async", max_batch_size = 16)]
#[batch]
async fn asynchronous(x: ArrayView2<f32>) -> Result<Array2<f32>, String> {
    tokio::time::sleep(Duration::from_millis(1)).await;
    Ok(&x * 2.0)
}
