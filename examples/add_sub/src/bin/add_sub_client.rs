//! Requests the sums and differences of two rows from `examples/add_sub`:
//! `cargo run -p add_sub --bin add_sub_client -- grpc://localhost`.

use std::env;

use pytriton::client::{ClientError, ModelClient};
use pytriton::ndarray::{Array2, Ix2};

fn main() -> Result<(), ClientError> {
    let url = env::args().nth(1).unwrap_or_else(|| "localhost".to_owned());
    let (a, b) = (Array2::<f32>::ones((2, 1)), Array2::<f32>::ones((2, 1)));
    let client = ModelClient::new(&url, "AddSub")?;
    let outputs = client.infer_batch((&a, &b))?;
    for (name, _) in outputs.tensors() {
        println!("{name}: {}", outputs.view::<f32, Ix2>(name)?);
    }
    Ok(())
}
