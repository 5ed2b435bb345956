//! Slow work must not block other requests.

use pytriton_tests::{Engine, Result};

use crate::{python, serve};

#[test]
fn probes_are_answered_whatever_is_computed() -> Result<()> {
    python()?.test("test_heavy.py", &serve(Engine::Embedded, &[])?)
}
