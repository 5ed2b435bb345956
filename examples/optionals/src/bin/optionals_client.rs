//! Calls `examples/optionals` with all inputs and with some:
//! `cargo run -p optionals --bin optionals_client -- grpc://localhost`.

use std::env;

use pytriton::client::{ClientError, ModelClient};
use pytriton::ndarray::{Ix2, array};

fn main() -> Result<(), ClientError> {
    let url = env::args().nth(1).unwrap_or_else(|| "localhost".to_owned());
    let x = array![[1.0_f32, 2.0]];
    let (scale, offset) = (array![[3.0_f32, 3.0]], array![[0.5_f32, 0.5]]);
    let client = ModelClient::new(&url, "Transform")?;
    let answers = [
        client.infer_batch(&x)?,
        client.infer_batch((("x", &x), ("offset", &offset)))?,
        client.infer_batch((&x, &scale))?,
        client.infer_batch((&x, &scale, &offset))?,
    ];
    for outputs in answers {
        println!("{}", outputs.view::<f32, Ix2>("OUTPUT_1")?);
    }
    Ok(())
}
