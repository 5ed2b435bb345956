//! Calls each model of `examples/multiple_models`, and an earlier version of one. Each client is
//! for one model and version:
//! `cargo run -p multiple_models --bin multiple_models_client -- grpc://localhost`.

use std::env;

use pytriton::client::{ClientError, ModelClient};
use pytriton::ndarray::{Ix1, array};

fn main() -> Result<(), ClientError> {
    let url = env::args().nth(1).unwrap_or_else(|| "localhost".to_owned());
    let sum = ModelClient::new(&url, "Sum")?;
    let outputs = sum.infer_sample((array![1_i64, 2], array![10_i64, -2]))?;
    println!("Sum: {}", outputs.view::<i64, Ix1>("OUTPUT_1")?);
    let x = array![1.0, 4.0];
    let arithmetic = ModelClient::builder(&url, "Mean").version(1).build()?;
    for mean in [arithmetic, ModelClient::new(&url, "Mean")?] {
        let outputs = mean.infer_sample(&x)?;
        let y = outputs.view::<f64, Ix1>("OUTPUT_1")?;
        let version = outputs.model_version();
        println!("Mean {version}: {y}");
    }
    let outputs = ModelClient::new(&url, "Counter")?.infer_sample(array![7_u8])?;
    println!("Counter: {}", outputs.view::<u64, Ix1>("OUTPUT_1")?);
    Ok(())
}
