//! Plots the effect of batching on throughput and latency to standard output. The function has a
//! fixed time per call and per row; the number of closed-loop clients increases.

mod measure;
mod plot;

use std::error::Error;
use std::time::Duration;

use measure::{Cell, Variant, measure};
use plot::{Curve, Plot, draw};

/// The numbers of concurrent clients.
const CLIENTS: [usize; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
const ROWS: [u32; 4] = [1, 4, 16, 64];
const DELAYS: [Duration; 3] = [
    Duration::ZERO,
    Duration::from_millis(1),
    Duration::from_millis(5),
];

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut rates = Vec::new();
    for rows in ROWS {
        let variant = Variant {
            rows,
            delay: Duration::ZERO,
        };
        rates.push(Curve {
            name: format!("batches of {rows}"),
            values: values(variant, |cell| cell.rate).await?,
        });
    }
    let mut latencies = Vec::new();
    for delay in DELAYS {
        let variant = Variant { rows: 16, delay };
        latencies.push(Curve {
            name: format!("{} ms of delay", delay.as_millis()),
            values: values(variant, |cell| cell.p50.as_secs_f64() * 1e3).await?,
        });
    }
    let plots = [
        Plot {
            title: "requests a second, by max_batch_size",
            curves: rates,
        },
        Plot {
            title: "median latency in ms, by max_queue_delay_microseconds, 16 rows",
            curves: latencies,
        },
    ];
    print!("{}", draw(&CLIENTS, &plots));
    Ok(())
}

async fn values(variant: Variant, of: fn(&Cell) -> f64) -> Result<Vec<f64>, Box<dyn Error>> {
    let cells = measure(variant, &CLIENTS).await?;
    Ok(cells.iter().map(of).collect())
}
