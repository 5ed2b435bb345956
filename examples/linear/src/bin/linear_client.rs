//! Sends a batch of rows to `examples/linear`:
//! `cargo run -p linear --bin linear_client -- grpc://localhost`.

use std::env;

use pytriton::client::{ClientError, ModelClient};
use pytriton::ndarray::{Array2, Ix2};

fn main() -> Result<(), ClientError> {
    let url = env::args().nth(1).unwrap_or_else(|| "localhost".to_owned());
    let x = Array2::from_shape_fn((2, 20), |(row, column)| (row + column) as f32);
    let scale = Array2::from_elem((2, 1), 2.0_f32);
    let client = ModelClient::new(&url, "Linear")?;
    let outputs = client.infer_batch((("x", &x), ("scale", &scale)))?;
    println!("{}", outputs.view::<f32, Ix2>("OUTPUT_1")?);
    Ok(())
}
