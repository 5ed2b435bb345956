//! A disk that is full at the start, full shared memory, and little address space: an error, never a deadly signal.

use std::process::Command;
use std::time::Duration;

use pytriton_tests::{Result, Server, finish};

use crate::engine::{FREE_PORTS, prepare, workspaces};
use crate::shell::{NAMESPACE, disk, shell};
use crate::{EXIT, http};

/// The largest file, and so the largest segment of shared memory, in blocks of 512 bytes: 16 MiB.
pub(crate) const LIMIT: &str = "ulimit -f 32768";

#[test]
fn a_full_disk_is_said_at_the_start() -> Result<()> {
    let home = tempfile::tempdir()?;
    let (mut command, expected) = match disk(home.path(), "64k") {
        Some(mount) => (shell(&NAMESPACE, &mount, ""), "No space left on device"),
        // Where nobody may mount, the files may not be larger than 4 KiB.
        None => (shell(&[], "ulimit -f 8", ""), "File too large"),
    };
    prepare(&mut command, home.path())?;
    let refused = finish(&mut command, EXIT)?;
    assert_eq!(refused.status.code(), Some(1), "{}", refused.stderr);
    let error = refused
        .stderr
        .lines()
        .find(|line| line.starts_with("error: "));
    let error = error.unwrap_or_default();
    assert!(error.contains(expected), "{}", refused.stderr);
    assert!(error.contains("/pytriton/workspaces/"), "{error}");
    assert!(workspaces(home.path()).is_empty());
    Ok(())
}

/// A request of so many bytes, which are of a model's only input.
pub(crate) fn identity(address: &str, model: &str, bytes: usize) -> Result<http::Answer> {
    let (datatype, elements) = match model {
        "Identity" => ("FP32", bytes / 4),
        _ => ("UINT8", bytes),
    };
    let header = format!(
        r#"{{"inputs":[{{"name":"INPUT_1","datatype":"{datatype}","shape":[1,{elements}],"parameters":{{"binary_data_size":{bytes}}}}}],"parameters":{{"binary_data_output":true}}}}"#
    );
    let body = [header.as_bytes(), &vec![7; bytes]].concat();
    let head = format!("Inference-Header-Content-Length: {}", header.len());
    http::post(address, &format!("/v2/models/{model}/infer"), &head, &body)
}

#[test]
fn full_shared_memory_fails_one_batch() -> Result<()> {
    let home = tempfile::tempdir()?;
    let mut command = shell(&[], LIMIT, "");
    prepare(&mut command, home.path())?;
    let server = Server::spawn(&mut command)?;
    let address = &server.banner().http;
    for _ in 0..3 {
        // What tritonserver cannot hand over.
        let answer = identity(address, "I_UINT8", 20 << 20)?;
        assert!([500, 503].contains(&answer.status), "{answer:?}");
        assert!(answer.body.contains("no shared memory for 2"), "{answer:?}");
        assert!(http::right(address));
        let answer = identity(address, "I_UINT8", 8 << 20)?;
        assert_eq!(answer.status, 200);
        assert!(answer.body.len() > 8 << 20);
        // What the worker cannot answer: each of the rows has the whole text.
        let text = "x".repeat(1200 << 10);
        let zeros = ["0"; 16].join(",");
        let body = format!(
            r#"{{"parameters":{{"text":"{text}"}},"inputs":[{{"name":"x","datatype":"FP32","shape":[16,1],"data":[{zeros}]}}]}}"#
        );
        let answer = http::post(
            address,
            "/v2/models/Parameters/infer",
            "X: x",
            body.as_bytes(),
        )?;
        assert!([500, 503].contains(&answer.status), "{}", answer.status);
        assert!(
            answer.body.contains("no shared memory for "),
            "{}",
            answer.body
        );
        assert!(http::right(address));
    }
    server.signal("TERM")?;
    assert_eq!(server.wait(Duration::from_secs(10))?.0.code(), Some(0));
    Ok(())
}

#[test]
fn little_address_space_fails_one_batch() -> Result<()> {
    let home = tempfile::tempdir()?;
    let identity_server = env!("CARGO_BIN_EXE_example_identity");
    // 2 GiB.
    let serve = format!("ulimit -v 2097152 && exec '{identity_server}' \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &serve, "sh"]).args(FREE_PORTS);
    // However many processors there are.
    command
        .arg("--http-thread-count=2")
        .env("MALLOC_ARENA_MAX", "2");
    prepare(&mut command, home.path())?;
    let server = Server::spawn(&mut command)?;
    let address = &server.banner().http;
    for _ in 0..2 {
        // Several copies of it are needed on its way, of which tritonserver or we cannot have the last.
        let answer = identity(address, "Identity", 350 << 20)?;
        assert!([500, 503].contains(&answer.status), "{}", answer.status);
        assert!(
            answer.body.starts_with("{\"error\":\""),
            "{}",
            answer.status
        );
        let answer = identity(address, "Identity", 1 << 20)?;
        assert_eq!(answer.status, 200);
        assert!(answer.body.len() > 1 << 20);
    }
    server.signal("TERM")?;
    assert_eq!(server.wait(EXIT)?.0.code(), Some(0));
    Ok(())
}
