//! A model under overload. A stock tritonserver with a native backend reaches less, see
//! docs/differences.md.

use pytriton_tests::{Engine, Result};

use crate::{python, serve};

#[test]
fn full_queue_keeps_an_embedded_model_busy() -> Result<()> {
    python()?.test("test_goodput.py", &serve(Engine::Embedded, &[])?)
}

#[test]
fn full_queue_keeps_a_tritonserver_model_busy() -> Result<()> {
    python()?.test("test_goodput.py", &serve(Engine::Tritonserver, &[])?)
}
