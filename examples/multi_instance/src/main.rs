//! Two instances. Each has its own network, device and thread.

use std::env;
use std::error::Error;

use pytriton::Triton;
use pytriton::ndarray::Ix2;
use pytriton::prelude::*;
use pytriton::runtime_models::{Function, Input, Model, Named, Output, PerBatch};

const DEVICES: [&str; 2] = ["gpu:0", "gpu:1"];

/// Represents the type of a neural network library: a value that must stay on the thread where it
/// was loaded.
struct Network {
    weights: Array2<f32>,
    device: &'static str,
}

impl Network {
    fn load(device: &'static str) -> Result<Self, String> {
        let weights = Array::from_shape_fn((3, 2), |(row, column)| (row + column) as f32);
        Ok(Self { weights, device })
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let triton = Triton::builder().arguments(env::args().skip(1)).build()?;
    let model = Model::new("Network")
        .max_batch_size(16)
        .input(Input::new::<f32>("x", [3]))
        .output(Output::new::<f32>("y", [2]))
        .output(Output::new::<String>("device", [1]));
    let instances = DEVICES.map(|device| {
        let network = PerBatch.stateful(move |_| Ok(Network::load(device)?));
        Function::new(network, |call| {
            let x = call.array::<f32, Ix2>("x")?;
            let network = call.state;
            let device = Array2::from_elem((x.nrows(), 1), network.device.to_owned());
            Ok(Named::new()
                .with("y", x.dot(&network.weights))
                .with("device", device))
        })
    });
    triton.bind(model, instances)?;
    Ok(triton.serve()?)
}
