//! Prints the words of `examples/streaming` as they arrive:
//! `cargo run -p streaming --bin streaming_client -- grpc://localhost "You may"`.

use std::env;
use std::error::Error;
use std::io::{Write, stdout};

use pytriton::client::DecoupledModelClient;
use pytriton::ndarray::{Ix1, array};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let url = arguments.next().unwrap_or("grpc://localhost".to_owned());
    let prompt = arguments.next().unwrap_or("You may".to_owned());
    print!("{prompt}");
    let client = DecoupledModelClient::new(&url, "Writer")?;
    let inputs = (("prompt", array![prompt]), ("max_tokens", array![20_u32]));
    for outputs in client.infer_sample(inputs) {
        // The last response has no text: it contains the finish reason.
        for text in outputs?.array::<String, Ix1>("text")? {
            print!("{text}");
            stdout().flush()?;
        }
    }
    println!();
    Ok(())
}
