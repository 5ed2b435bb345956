//! The models of a crate as a Python module, in a wheel built by maturin and installed in a
//! separate environment.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use pytriton_tests::{Python, Result};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns a Python with the wheel of a package, which the first test builds and installs.
fn with(package: &str) -> Result<Python> {
    static INSTALLED: LazyLock<Mutex<Vec<String>>> = LazyLock::new(Mutex::default);
    let python = Python::with_maturin(Path::new(env!("CARGO_TARGET_TMPDIR")))?;
    let mut installed = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner);
    if !installed.iter().any(|other| other == package) {
        python.install(
            &root().join(package),
            Path::new(env!("CARGO_TARGET_TMPDIR")),
        )?;
        installed.push(package.to_owned());
    }
    Ok(python)
}

fn run(script: &str, file: &str) -> Result<()> {
    let file = root().join(file);
    with("examples/linear_python")?.run(script, [file.to_string_lossy().as_ref()])
}

#[test]
fn module_calls_and_serves() -> Result<()> {
    with("tests/module")?.test_alone("module/test_calls.py")
}

#[test]
fn names_that_collide_in_python_are_errors() -> Result<()> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let python = Python::with_maturin(folder)?;
    for (feature, told) in [
        (
            "same-names",
            "models 'left-out' and 'left_out' have the same Python name left_out: rename one",
        ),
        (
            "taken-name",
            "the Python name serve of model 'serve' is a predefined member of the module: rename the model",
        ),
    ] {
        let place = tempfile::tempdir_in(folder)?;
        let at = place.path().to_string_lossy();
        let package = root().join("tests/module");
        python.install_with(
            &package,
            folder,
            &["--features", feature],
            &["--target", &*at],
        )?;
        python.run("module/refused.py", [&*at, told])?;
    }
    Ok(())
}

#[test]
fn module_serves_in_the_foreground() -> Result<()> {
    with("tests/module")?.test_alone("module/test_serve.py")
}

#[test]
fn notebook_prints_the_documented_output() -> Result<()> {
    run("module/notebook.py", "examples/linear_python/linear.ipynb")
}

#[test]
fn wheel_contains_the_committed_type_stub() -> Result<()> {
    run("module/stub.py", "examples/linear_python/linear.pyi")
}

#[test]
fn python_document_matches_its_example() -> Result<()> {
    let document = fs::read_to_string(root().join("docs/python.md"))?;
    let source = fs::read_to_string(root().join("examples/linear_python/src/lib.rs"))?;
    assert!(document.contains(&format!("```rust\n{source}```")));
    run("module/documented.py", "docs/python.md")
}
