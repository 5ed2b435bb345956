//! One server and one file of Python tests each.

use pytriton_tests::{Result, Server};

use crate::{MODELS, python};

fn drive(file: &str) -> Result<()> {
    drive_with(file, &[])
}

fn drive_with(file: &str, arguments: &[&str]) -> Result<()> {
    let python = python()?;
    python.test(file, &Server::start(MODELS, arguments)?)
}

#[test]
fn datatypes() -> Result<()> {
    drive("test_datatypes.py")
}

#[test]
fn bytes() -> Result<()> {
    drive("test_bytes.py")
}

#[test]
fn requests() -> Result<()> {
    let forward = "(?i)x-forwarded-.*";
    let patterns = [
        "--http-header-forward-pattern",
        forward,
        "--grpc-header-forward-pattern",
        forward,
    ];
    drive_with("test_requests.py", &patterns)
}

#[test]
fn batching() -> Result<()> {
    drive("test_batching.py")
}

#[test]
fn asyncio() -> Result<()> {
    drive("test_aio.py")
}

#[test]
fn streaming() -> Result<()> {
    drive("test_streaming.py")
}

#[test]
fn compression() -> Result<()> {
    drive("test_compression.py")
}

#[test]
fn errors_over_http() -> Result<()> {
    drive("test_errors_http.py")
}

#[test]
fn errors_over_grpc() -> Result<()> {
    drive("test_errors_grpc.py")
}

#[test]
fn failures() -> Result<()> {
    drive("test_failures.py")
}

#[test]
fn statistics() -> Result<()> {
    drive("test_statistics.py")
}

#[test]
fn surface() -> Result<()> {
    drive("test_surface.py")
}

#[test]
fn overload() -> Result<()> {
    drive("test_overload.py")
}
