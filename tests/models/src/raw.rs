//! Functions that take `&[Request]`.

use pytriton::prelude::*;

/// Fails only the requests with a negative value.
#[pytriton::model(name = "Raw", max_batch_size = 16)]
#[input(name = "INPUT_1", datatype = FP32, shape = [-1])]
fn raw(requests: &[Request]) -> Vec<Result<Array2<f32>, String>> {
    requests.iter().map(doubled).collect()
}

fn doubled(request: &Request) -> Result<Array2<f32>, String> {
    let input = request
        .array::<f32>("INPUT_1")
        .map_err(|error| error.to_string())?;
    let input = input.ok_or("INPUT_1 is missing")?;
    if input.iter().any(|value| *value < 0.0) {
        return Err(format!("request {} has a value below zero", request.id()));
    }
    let doubled = &input * 2.0;
    doubled
        .into_dimensionality()
        .map_err(|error| error.to_string())
}

/// The properties of a request, one per line.
#[pytriton::model(name = "Describe", max_batch_size = 16)]
#[input(name = "INPUT_1", datatype = FP32, shape = [-1])]
fn describe(requests: &[Request]) -> Vec<(Array2<String>, Array2<u64>)> {
    let describe = |request: &Request| {
        let requested: Vec<&str> = request.requested_outputs().collect();
        let mut lines = vec![
            format!("id {}", request.id()),
            format!("outputs {}", requested.join(",")),
        ];
        for (name, value) in request.parameters().iter() {
            lines.push(format!("{name}={value}"));
        }
        let rows = request.batch_size();
        (
            Array2::from_elem((rows, 1), lines.join("\n")),
            Array2::from_elem((rows, 1), requests.len() as u64),
        )
    };
    requests.iter().map(describe).collect()
}
