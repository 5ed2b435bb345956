//! Models that answer a request any number of times, driven by NVIDIA's clients and PyTriton's.

use pytriton_tests::{Engine, Python, Result, Server};

const TESTS: &str = "test_decoupled.py";

fn drive(server: &Server) -> Result<()> {
    Python::with_pytriton_clients(crate::folder())?.test(TESTS, server)
}

#[test]
fn embedded() -> Result<()> {
    drive(&crate::serve(Engine::Embedded, &[])?)
}

#[test]
fn native() -> Result<()> {
    drive(&Server::start_native(
        crate::MODELS.as_ref(),
        crate::folder(),
        &[],
    )?)
}

#[test]
fn tritonserver() -> Result<()> {
    drive(&crate::serve(Engine::Tritonserver, &[])?)
}
