use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use pytriton::prelude::*;

#[pytriton::model(name = "Double", max_batch_size = 64)]
#[batch]
fn double(x: ArrayView2<f32>) -> Array2<f32> {
    assert!(x.first() != Some(&-1.0), "asked to panic");
    &x * 2.0
}

#[pytriton::model(name = "Words", max_batch_size = 8)]
fn words(x: Array2<String>, suffix: Option<Array2<String>>) -> Array2<String> {
    match suffix {
        Some(suffix) => Array2::from_shape_fn(x.dim(), |at| format!("{}{}", x[at], suffix[at])),
        None => x,
    }
}

#[pytriton::model(name = "Seen", max_batch_size = 8)]
#[input(name = "x", datatype = FP32, shape = [-1])]
#[output(name = "seen", shape = [1])]
fn seen(requests: &[Request]) -> Vec<Array2<String>> {
    let text = |request: &Request| {
        let parameters = request.parameters().iter();
        let parameters = parameters.map(|(name, value)| format!(" {name}={value}"));
        let outputs: Vec<&str> = request.requested_outputs().collect();
        let parameters: String = parameters.collect();
        format!("{}{parameters} [{}]", request.id(), outputs.join(","))
    };
    let texts = requests.iter().map(text);
    texts.map(|text| Array2::from_elem((1, 1), text)).collect()
}

/// The requests of `keep`, which own the memory of their tensors.
pub(crate) static KEPT: Mutex<Vec<Request>> = Mutex::new(Vec::new());

#[pytriton::model(name = "Keep", max_batch_size = 8)]
#[input(name = "x", datatype = FP32, shape = [-1])]
fn keep(requests: &[Request]) -> Result<Vec<Array2<f32>>, String> {
    let mut received = KEPT.lock().map_err(|error| error.to_string())?;
    received.extend_from_slice(requests);
    Ok(requests
        .iter()
        .map(|request| Array2::zeros((request.batch_size(), 1)))
        .collect())
}

/// The first values of the requests that `slow` has started.
static BEGUN: Mutex<Vec<f32>> = Mutex::new(Vec::new());

/// Waits until `slow` has started a request with this first value.
pub(crate) fn begun(value: f32) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !BEGUN.lock().is_ok_and(|begun| begun.contains(&value)) {
        assert!(Instant::now() < deadline, "{value} has not been begun");
        thread::sleep(Duration::from_millis(5));
    }
}

#[pytriton::model(name = "Slow", instances = 2, dynamic_batching = false)]
fn slow(x: ArrayView2<f32>) -> Array2<f32> {
    if let Ok(mut begun) = BEGUN.lock() {
        begun.extend(x.first());
    }
    thread::sleep(Duration::from_secs(1));
    x.to_owned()
}
