//! A client that shares memory with a server until it is killed. With the argument `once`, it ends
//! after the first response.

use std::{env, thread};

use pytriton::client::ndarray::Array1;
use pytriton::client::{ClientError, ModelClient};

fn main() -> Result<(), ClientError> {
    let url = env::args().nth(1).unwrap_or_default();
    let client = ModelClient::builder(&url, "Large")
        .shared_memory(8 << 20)
        .build()?;
    client.infer_sample(Array1::<f32>::zeros(65_536))?;
    println!("shared");
    while env::args().nth(2).is_none() {
        thread::park();
    }
    Ok(())
}
