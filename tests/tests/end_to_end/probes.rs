//! Slow work must not block other requests.

use pytriton_tests::{Engine, Result};

use crate::{python, serve};

#[test]
fn probes_respond_during_heavy_requests() -> Result<()> {
    python()?.test("test_probes.py", &serve(Engine::Embedded, &[])?)
}
