//! Asks a server again and again with one of the clients of `pytriton-client`, so many requests under way at a time, and prints
//! how many were answered, in how many seconds, and how many seconds of processors that took the client.

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
    /// What a request and its answer carry.
    #[arg(long, default_value_t = 16)]
    bytes: usize,
    #[arg(long, default_value_t = 1)]
    under_way: usize,
    /// How long; or how many requests, with which what has happened is the same each time.
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    #[arg(long)]
    requests: Option<u64>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    /// `AsyncModelClient`, all requests on one thread.
    Async,
    /// `ModelClient`, a thread for each request that is under way.
    Blocking,
    /// `PipelinedModelClient`, asked by one thread.
    Pipelined,
}

fn main() -> Result<(), Error> {
    let command = Command::parse();
    let enough = match command.requests {
        Some(count) => Enough::Requests(count),
        None => Enough::After(Duration::from_secs_f64(command.seconds)),
    };
    let asking = Asking::new(&command.url, command.bytes, command.under_way, enough)?;
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
