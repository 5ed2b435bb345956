//! A load generator for one of the clients of `pytriton-client`, with a fixed number of concurrent
//! requests. Prints the number of responses, the seconds elapsed, and the CPU seconds of the
//! client.

mod asking;
mod error;

use std::io::Write;
use std::time::Duration;

use clap::{Parser, ValueEnum};

use asking::{Asking, Enough};
use error::Error;

#[derive(Debug, Parser)]
struct Command {
    client: Kind,
    /// `http://…` or `grpc://…`.
    url: String,
    /// A model whose output `OUTPUT_1` has the size of its input.
    #[arg(long, default_value = "Identity")]
    model: String,
    /// The size of a request and of its response.
    #[arg(long, default_value_t = 16)]
    bytes: usize,
    #[arg(long, default_value_t = 1)]
    under_way: usize,
    /// The duration, or the number of requests; the latter makes runs reproducible.
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    #[arg(long)]
    requests: Option<u64>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    /// `AsyncModelClient`, with all requests on one thread.
    Async,
    /// `ModelClient`, with one thread per concurrent request.
    Blocking,
    /// `PipelinedModelClient`, called by one thread.
    Pipelined,
}

fn main() -> Result<(), Error> {
    let command = Command::parse();
    let enough = match command.requests {
        Some(count) => Enough::Requests(count),
        None => Enough::After(Duration::from_secs_f64(command.seconds)),
    };
    let asking = Asking::new(
        &command.url,
        &command.model,
        command.bytes,
        command.under_way,
        enough,
    )?;
    let done = match command.client {
        Kind::Async => asking.asynchronous(),
        Kind::Blocking => asking.blocking(),
        Kind::Pipelined => asking.pipelined(),
    }?;
    let (seconds, processors) = (done.seconds.as_secs_f64(), done.processors.as_secs_f64());
    writeln!(
        std::io::stdout(),
        "{} {seconds:.3} {processors:.3}",
        done.requests
    )?;
    Ok(())
}
