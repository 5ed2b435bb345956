use std::error::Error;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use pytriton::client::AsyncModelClient;
use pytriton::ndarray::{Array2, Ix2};
use pytriton::runtime_models::{Function, Input, Model, Output, PerBatch};
use pytriton::testing;
use tokio::task::JoinSet;

/// The time of the function per call and per row.
const CALL: Duration = Duration::from_millis(2);
const ROW: Duration = Duration::from_micros(100);

/// The duration for each number of clients.
const TIME: Duration = Duration::from_secs(1);

/// The batching options.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Variant {
    pub(crate) rows: u32,
    pub(crate) delay: Duration,
}

/// The measurements for one number of clients.
#[derive(Debug)]
pub(crate) struct Cell {
    /// Responses per second.
    pub(crate) rate: f64,
    pub(crate) p50: Duration,
}

/// Measures a server of the variant with each number of clients.
pub(crate) async fn measure(
    variant: Variant,
    clients: &[usize],
) -> Result<Vec<Cell>, Box<dyn Error>> {
    let delay = u64::try_from(variant.delay.as_micros())?;
    let model = Model::new("Slow")
        .max_batch_size(variant.rows)
        .max_queue_delay(Duration::from_micros(delay))
        .input(Input::new::<f32>("x", [-1]))
        .output(Output::new::<f32>("y", [-1]));
    let function = Function::new(PerBatch, |call| {
        let x = call.array::<f32, Ix2>("x")?;
        sleep(CALL + ROW * u32::try_from(x.nrows())?);
        Ok(&x * 2.0_f32)
    });
    let served = testing::serve(model, function)?;
    let client = Arc::new(served.async_client("Slow")?);
    let mut cells = Vec::new();
    for clients in clients {
        cells.push(cell(&client, *clients).await?);
    }
    Ok(cells)
}

async fn cell(client: &Arc<AsyncModelClient>, clients: usize) -> Result<Cell, Box<dyn Error>> {
    let begun = Instant::now();
    let mut asking = JoinSet::new();
    for _ in 0..clients {
        let client = Arc::clone(client);
        asking.spawn(async move {
            let x = Array2::<f32>::ones((1, 16));
            let mut latencies = Vec::new();
            while begun.elapsed() < TIME {
                let asked = Instant::now();
                client.infer_batch([&x]).await?;
                latencies.push(asked.elapsed());
            }
            Ok::<_, pytriton::client::ClientError>(latencies)
        });
    }
    let mut latencies = Vec::new();
    while let Some(asked) = asking.join_next().await {
        latencies.extend(asked??);
    }
    let time = begun.elapsed();
    latencies.sort_unstable();
    let p50 = latencies.get(latencies.len() / 2).copied();
    Ok(Cell {
        rate: f64::from(u32::try_from(latencies.len())?) / time.as_secs_f64(),
        p50: p50.ok_or("nothing was answered")?,
    })
}
