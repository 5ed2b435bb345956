//! Functions that call other models, in servers of this process.

mod arguments;
mod batches;
mod cancellation;
mod failures;
mod inherited;
mod models;
mod program;
mod starting;
mod statistics;
mod trace;

use std::error::Error;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use pytriton::Triton;
use pytriton_tests::{Engine, triton_builder};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// The time limit of each step.
const DEADLINE: Duration = Duration::from_secs(20);

/// Creates a server of the embedded engine on free ports.
fn triton() -> Result<Triton> {
    triton_by(Engine::Embedded)
}

/// Creates a server on free ports.
fn triton_by(engine: Engine) -> Result<Triton> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let binary = Path::new(env!("CARGO_BIN_EXE_example_identity"));
    Ok(triton_builder(engine, binary, folder)?.build()?)
}

/// Serves the models of `models.rs`.
fn served() -> Result<Triton> {
    served_by(Engine::Embedded)
}

/// Serves the models of `models.rs` with an engine.
fn served_by(engine: Engine) -> Result<Triton> {
    let triton = triton_by(engine)?;
    triton.bind_registered()?;
    triton.run()?;
    Ok(triton)
}

/// Returns the address for clients.
fn url(triton: &Triton) -> Result<String> {
    let addresses = triton.addresses().ok_or("not running")?;
    Ok(format!("grpc://{}", addresses.grpc().ok_or("no gRPC")?))
}

/// Returns the text of the metrics port.
fn metrics(triton: &Triton) -> Result<String> {
    let metrics = triton.addresses().and_then(|addresses| addresses.metrics());
    let mut stream = TcpStream::connect(metrics.ok_or("no metrics")?)?;
    stream.write_all(b"GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    Ok(text)
}
