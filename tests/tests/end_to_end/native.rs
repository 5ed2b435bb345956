//! The output of `repository --native` and its errors. Other tests show that a tritonserver serves
//! it.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use pytriton_tests::{Finished, Result, Server, finish};

const EXAMPLE: &str = env!("CARGO_BIN_EXE_example_native_backend");
const WITHOUT: &str = env!("CARGO_BIN_EXE_example_identity");
const LIBRARY: &str = "libtriton_native_backend.so";
const DEADLINE: Duration = Duration::from_secs(20);

fn repository(binary: &Path, folder: &Path, options: &[&str]) -> Result<Finished> {
    let mut command = Command::new(binary);
    finish(
        command.arg("repository").arg(folder).args(options),
        DEADLINE,
    )
}

/// Returns the library that cargo has built next to the binary.
fn built() -> PathBuf {
    Path::new(EXAMPLE).with_file_name("deps").join(LIBRARY)
}

#[test]
fn models_and_library_are_written_and_the_command_is_printed() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (native, plain) = (folder.path().join("native"), folder.path().join("plain"));
    let output = repository(EXAMPLE.as_ref(), &native, &["--native"])?.success("repository")?;
    let (backends, models) = (native.join("backends"), native.join("models"));
    let expected = format!(
        "tritonserver --backend-directory={} --model-repository={}\n",
        backends.display(),
        models.display()
    );
    assert_eq!(output, expected);
    let library = fs::read(backends.join("native_backend").join(LIBRARY))?;
    assert!(library == fs::read(built())?, "it is another library");
    assert!(models.join("Identity/1").is_dir());

    // The configuration differs from the other engine's only in the backend.
    repository(EXAMPLE.as_ref(), &plain, &[])?.success("repository")?;
    let config = |models: &Path| fs::read_to_string(models.join("Identity/config.pbtxt"));
    let ours = config(&plain)?;
    assert!(ours.contains("backend: \"pytriton\"\n"), "{ours}");
    let expected = ours.replace("\"pytriton\"", "\"native_backend\"");
    assert_eq!(config(&models)?, expected);
    assert_eq!(fs::read_dir(plain)?.count(), 1);
    Ok(())
}

#[test]
fn rewritten_library_is_a_new_file() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let library = folder.path().join("backends/native_backend").join(LIBRARY);
    repository(EXAMPLE.as_ref(), folder.path(), &["--native"])?.success("repository")?;
    // A library that a tritonserver has loaded must not change.
    let loaded = folder.path().join("loaded");
    fs::hard_link(&library, &loaded)?;
    fs::write(&loaded, "old")?;
    repository(EXAMPLE.as_ref(), folder.path(), &["--native"])?.success("repository")?;
    assert_eq!(fs::read_to_string(loaded)?, "old");
    assert!(fs::read(library)? == fs::read(built())?);
    Ok(())
}

#[test]
fn missing_library_is_reported_with_its_build_command() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path().canonicalize()?;
    let (binary, target) = (folder.join("alone"), folder.join("target"));
    fs::copy(EXAMPLE, &binary)?;
    let refused = repository(&binary, &target, &["--native"])?;
    assert_eq!(refused.status.code(), Some(1));
    let expected = format!(
        "error: {LIBRARY} was not found in {0}/deps or in {0}: build it with `cargo build -p native_backend`; the manifest \
         needs `crate-type = [\"cdylib\", \"rlib\"]`\n",
        folder.display()
    );
    assert_eq!(refused.stderr.replace("--release ", ""), expected);
    assert!(!target.exists());

    fs::copy(built(), folder.join(LIBRARY))?;
    repository(&binary, &target, &["--native"])?.success("repository")?;
    Ok(())
}

#[test]
fn missing_backend_is_reported_with_advice() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let target = folder.path().join("target");
    let refused = repository(WITHOUT.as_ref(), &target, &["--native"])?;
    assert_eq!(refused.status.code(), Some(1));
    for part in ["pytriton::backend!()", "use triton_<backend> as _;"] {
        assert!(refused.stderr.contains(part), "{}", refused.stderr);
    }
    assert!(!target.exists());
    Ok(())
}

#[test]
fn regions_survive_loads_and_unloads() -> Result<()> {
    let explicit = ["--model-control-mode=explicit", "--load-model=*"];
    let server = Server::start_native(crate::MODELS.as_ref(), crate::folder(), &explicit)?;
    crate::python()?.test("test_native_control.py", &server)
}

#[test]
fn a_failing_function_is_in_the_log() -> Result<()> {
    let server = Server::start_native(crate::MODELS.as_ref(), crate::folder(), &[])?;
    let body = r#"{"inputs":[{"name":"INPUT_1","datatype":"FP32","shape":[1,1],"data":[-1]}]}"#;
    let mut stream = TcpStream::connect(&server.banner().http)?;
    stream.set_read_timeout(Some(DEADLINE))?;
    let length = body.len();
    let request = format!(
        "POST /v2/models/Fail/infer HTTP/1.1\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    assert!(answer.starts_with("HTTP/1.1 500 "), "{answer}");
    let log = server.log_with(&["batch failed"])?;
    let line = log.lines().find(|line| line.contains("batch failed"));
    assert!(
        line.is_some_and(|line| line.contains("-1 is below zero")),
        "{log}"
    );
    Ok(())
}
