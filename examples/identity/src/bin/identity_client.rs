//! Calls both models of `examples/identity`, with numbers and with bytes:
//! `cargo run -p identity --bin identity_client`.

use std::env;

use pytriton::client::{ClientError, ModelClient};
use pytriton::ndarray::{Array2, Ix2};

fn main() -> Result<(), ClientError> {
    let url = env::args().nth(1).unwrap_or_else(|| "localhost".to_owned());
    let numbers = Array2::from_shape_fn((2, 4), |(row, column)| (row + column) as f32 / 4.0);
    let bytes = Array2::from_elem((2, 1), b"\xff\0\0\0".to_vec());
    let outputs = ModelClient::new(&url, "Identity")?.infer_batch(&numbers)?;
    println!("{}", outputs.view::<f32, Ix2>("OUTPUT_1")?);
    let outputs = ModelClient::new(&url, "IdentityBytes")?.infer_batch(&bytes)?;
    println!("{:?}", outputs.array::<Vec<u8>, Ix2>("OUTPUT_1")?[[1, 0]]);
    Ok(())
}
