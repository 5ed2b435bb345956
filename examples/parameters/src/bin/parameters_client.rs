//! Calls `examples/parameters` with a parameter and a header:
//! `cargo run -p parameters --bin parameters_client`.

use std::env;

use pytriton::client::{ClientError, InferOptions, ModelClient};
use pytriton::ndarray::{Ix1, array};

fn main() -> Result<(), ClientError> {
    let url = env::args().nth(1).unwrap_or_else(|| "localhost".to_owned());
    let client = ModelClient::new(&url, "Greet")?;
    let options = InferOptions::new()
        .parameter("times", 2)
        .header("x-user", "ada");
    let outputs = client.infer_sample_with(array!["hello".to_owned()], options)?;
    println!("{}", outputs.array::<String, Ix1>("OUTPUT_1")?[0]);
    Ok(())
}
