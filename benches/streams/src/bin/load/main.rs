//! A client that costs less than what it measures: it counts the responses of streams and decodes
//! none.

mod call;
mod error;

use std::io::Write;
use std::time::{Duration, Instant};

use clap::{Parser, Subcommand};
use tokio::task::JoinSet;

use call::{Call, Connection};
use error::Error;

/// The number of streams per connection.
const SHARED_BY: usize = 8;

#[derive(Debug, Parser)]
struct Command {
    /// The gRPC address of the server.
    address: String,
    #[command(subcommand)]
    measure: Measure,
}

#[derive(Debug, Subcommand)]
enum Measure {
    /// Prints the responses per second of a number of streams that restart when they end.
    Rate {
        model: String,
        streams: usize,
        answers: i64,
        seconds: u64,
    },
    /// Prints the median time to the first response, in microseconds.
    First { model: String, calls: usize },
    /// Prints the memory of the process per open stream, in KiB.
    Open { streams: usize, process: u32 },
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let Command { address, measure } = Command::parse();
    let figure = match measure {
        Measure::Rate {
            model,
            streams,
            answers,
            seconds,
        } => rate(&address, &model, streams, answers, seconds).await?,
        Measure::First { model, calls } => first(&address, &model, calls).await?,
        Measure::Open { streams, process } => open(&address, streams, process).await?,
    };
    writeln!(std::io::stdout(), "{figure:.1}")?;
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
async fn rate(
    address: &str,
    model: &str,
    streams: usize,
    answers: i64,
    seconds: u64,
) -> Result<f64, Error> {
    let call = Call::stream(model, answers);
    let begun = Instant::now();
    let end = begun + Duration::from_secs(seconds);
    let mut running = JoinSet::new();
    for shared in (0..streams).step_by(SHARED_BY) {
        let connection = Connection::open(address).await?;
        for _ in shared..streams.min(shared + SHARED_BY) {
            let (mut connection, call) = (connection.clone(), call.clone());
            running.spawn(async move {
                let mut counted = 0;
                while Instant::now() < end {
                    let came = connection.send(&call).await?.count().await?;
                    if came != answers {
                        return Err(Error::Answers {
                            expected: answers,
                            came,
                        });
                    }
                    counted += came;
                }
                Ok(counted)
            });
        }
    }
    let mut counted = 0;
    while let Some(stream) = running.join_next().await {
        counted += stream??;
    }
    Ok(counted as f64 / begun.elapsed().as_secs_f64())
}

async fn first(address: &str, model: &str, calls: usize) -> Result<f64, Error> {
    let mut connection = Connection::open(address).await?;
    let call = match model {
        "Once" | "Held" => Call::unary(model),
        _ => Call::stream(model, 1),
    };
    let mut took = Vec::with_capacity(calls);
    for _ in 0..calls {
        let begun = Instant::now();
        let mut answers = connection.send(&call).await?;
        answers.first().await?;
        took.push(begun.elapsed());
        answers.count().await?;
    }
    took.sort_unstable();
    Ok(took[calls / 2].as_secs_f64() * 1e6)
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
async fn open(address: &str, streams: usize, process: u32) -> Result<f64, Error> {
    let call = Call::stream("Open", 1);
    let mut held = Vec::with_capacity(streams);
    // Excludes what the server allocates only once.
    let mut connection = Connection::open(address).await?;
    connection.send(&call).await?.first().await?;
    let before = resident(process)?;
    for number in 0..streams {
        if number % SHARED_BY == 0 {
            connection = Connection::open(address).await?;
        }
        let mut answers = connection.send(&call).await?;
        answers.first().await?;
        held.push(answers);
    }
    let more = resident(process)?.saturating_sub(before);
    Ok(more as f64 / held.len() as f64)
}

/// Returns the resident memory of a process, in KiB.
fn resident(process: u32) -> Result<u64, Error> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
    kibibytes.ok_or(Error::Process(process))
}
