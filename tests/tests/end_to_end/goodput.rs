//! A model under overload. A stock tritonserver with a native backend reaches less, see
//! docs/differences.md.

use pytriton_tests::{Engine, Result};

use crate::{python, serve};

#[test]
fn a_full_queue_keeps_an_embedded_model_at_work() -> Result<()> {
    python()?.test("test_goodput.py", &serve(Engine::Embedded, &[])?)
}

#[test]
fn a_full_queue_keeps_a_model_behind_tritonserver_at_work() -> Result<()> {
    python()?.test("test_goodput.py", &serve(Engine::Tritonserver, &[])?)
}
