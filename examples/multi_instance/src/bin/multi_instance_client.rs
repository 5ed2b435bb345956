//! Sends many concurrent requests to both instances of `examples/multi_instance`, and prints the
//! number of responses per device: `cargo run -p multi_instance --bin multi_instance_client`.

use std::collections::BTreeMap;
use std::env;

use pytriton::client::{ClientError, PipelinedModelClient};
use pytriton::ndarray::{Ix1, array};

fn main() -> Result<(), ClientError> {
    let url = env::args().nth(1).unwrap_or_else(|| "localhost".to_owned());
    let client = PipelinedModelClient::new(&url, "Network")?;
    let x = array![1.0_f32, 2.0, 3.0];
    let asked = (0..1000).map(|_| client.infer_sample(&x).blocking_send());
    let mut answers = BTreeMap::new();
    for pending in asked.collect::<Result<Vec<_>, _>>()? {
        let outputs = pending.wait()?;
        assert_eq!(outputs.array::<f32, Ix1>("y")?, array![8.0, 14.0]);
        for device in outputs.array::<String, Ix1>("device")? {
            *answers.entry(device).or_insert(0) += 1;
        }
    }
    for (device, count) in answers {
        println!("{device}: {count}");
    }
    Ok(())
}
