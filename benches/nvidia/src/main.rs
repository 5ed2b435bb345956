//! A load generator for NVIDIA's Rust client, with a fixed number of concurrent requests. Prints
//! the number of responses, the seconds elapsed, and the CPU seconds of the client.
//!
//! Usage: nvidia ADDRESS BYTES UNDER_WAY SECONDS

use std::error::Error;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use triton_client::client::TritonClient;
use triton_client::infer::{DataType, InferInput, InferRequestBuilder};

/// Returns the CPU time of the process so far, user and system.
fn processors() -> Result<Duration, Box<dyn Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let mut ticks = 0;
    for field in fields.split_whitespace().skip(11).take(2) {
        ticks += field.parse::<u64>()?;
    }
    Ok(Duration::from_millis(ticks * 10))
}

async fn ask(client: &TritonClient, data: &[f32]) -> Result<(), triton_client::error::Error> {
    let shape = vec![1, i64::try_from(data.len()).unwrap_or(i64::MAX)];
    let input = InferInput::new("INPUT_1", shape, DataType::Fp32).with_data_f32(data);
    let request = InferRequestBuilder::new("Identity").input(input).build();
    client.infer(request).await?.output_as_f32(0).map(drop)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, bytes, under_way, seconds] = arguments.as_slice() else {
        return Err("usage: nvidia ADDRESS BYTES UNDER_WAY SECONDS".into());
    };
    let data = vec![1.0; bytes.parse::<usize>()? / size_of::<f32>()];
    let client = TritonClient::connect(&format!("http://{address}")).await?;
    ask(&client, &data).await?;
    let (begun, before) = (Instant::now(), processors()?);
    let end = begun + Duration::from_secs_f64(seconds.parse()?);
    let mut running = JoinSet::new();
    for _ in 0..under_way.parse()? {
        let (client, data) = (client.clone(), data.clone());
        running.spawn(async move {
            let mut answered = 0_u64;
            while Instant::now() < end {
                ask(&client, &data).await?;
                answered += 1;
            }
            Ok::<_, triton_client::error::Error>(answered)
        });
    }
    let mut answered = 0;
    while let Some(ended) = running.join_next().await {
        answered += ended??;
    }
    let (seconds, processors) = (begun.elapsed().as_secs_f64(), (processors()? - before).as_secs_f64());
    println!("{answered} {seconds:.3} {processors:.3}");
    Ok(())
}
