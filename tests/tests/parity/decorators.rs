use std::fs;
use std::path::Path;
use std::time::Duration;

use pytriton_tests::{Python, Result, finish};

use crate::root;

const DEADLINE: Duration = Duration::from_secs(60);

/// The table for the tests of the decorators must match PyTriton's behaviour.
#[test]
fn decorator_table_matches_pytriton() -> Result<()> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let python = Python::with_pytriton(target)?;
    let made = target.join("decorators.json");
    let mut script = python.command();
    script.arg("decorators.py").arg(&made);
    script.current_dir(root().join("tests/parity"));
    finish(&mut script, DEADLINE)?.success("decorators.py")?;
    let checked_in = fs::read_to_string(root().join("tests/parity/decorators.json"))?;
    let made = fs::read_to_string(made)?;
    let different = made.lines().zip(checked_in.lines());
    let mut different = different.filter(|(made, checked_in)| made != checked_in);
    assert_eq!(different.next(), None, "run decorators.py decorators.json");
    assert_eq!(made.len(), checked_in.len());
    Ok(())
}
