//! A full disk at start, full shared memory, and limited address space must cause an error, not a
//! fatal signal.

use std::process::Command;
use std::time::Duration;

use pytriton_tests::{Result, Server, finish};
use rustix::process::Resource;
use serde_json::Value;

use crate::engine::{FREE_PORTS, prepare, start, workspaces};
use crate::limit::Limit;
use crate::process::wait_until;
use crate::shell::{NAMESPACE, disk, shell};
use crate::{EXIT, http};

/// The maximum file size, which also limits shared memory, in blocks of 512 bytes: 16 MiB.
pub(crate) const LIMIT: &str = "ulimit -f 32768";

#[test]
fn a_full_disk_is_reported_at_the_start() -> Result<()> {
    let home = tempfile::tempdir()?;
    let (mut command, expected) = match disk(home.path(), "64k") {
        Some(mount) => (shell(&NAMESPACE, &mount, ""), "No space left on device"),
        // If mounting is not permitted, files are limited to 4 KiB.
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

/// Sends a request with the given number of bytes in the only input of a model.
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
        // An input that tritonserver cannot pass to the worker.
        let answer = identity(address, "I_UINT8", 20 << 20)?;
        assert!([500, 503].contains(&answer.status), "{answer:?}");
        assert!(answer.body.contains("cannot allocate 2"), "{answer:?}");
        assert!(http::right(address));
        let answer = identity(address, "I_UINT8", 8 << 20)?;
        assert_eq!(answer.status, 200);
        assert!(answer.body.len() > 8 << 20);
        // An output that the worker cannot return: each row contains the whole text.
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
        assert!(answer.body.contains("cannot allocate "), "{}", answer.body);
        assert!(http::right(address));
    }
    server.signal("TERM")?;
    assert_eq!(server.wait(Duration::from_secs(10))?.0.code(), Some(0));
    Ok(())
}

/// Adds to the sum of a sequence, with a parameter of the given number of bytes.
fn add(address: &str, value: i32, starts: bool, bytes: usize) -> Result<http::Answer> {
    let text = "x".repeat(bytes);
    let body = format!(
        r#"{{"parameters":{{"sequence_id":5,"sequence_start":{starts},"text":"{text}"}},"inputs":[{{"name":"VALUE","datatype":"INT32","shape":[1,1],"data":[{value}]}}]}}"#
    );
    http::post(address, "/v2/models/Direct/infer", "X: x", body.as_bytes())
}

#[test]
fn sequence_whose_start_fails_for_lack_of_memory_has_no_older_state() -> Result<()> {
    let home = tempfile::tempdir()?;
    let mut command = shell(&[], LIMIT, "");
    prepare(&mut command, home.path())?;
    let server = Server::spawn(&mut command)?;
    let address = &server.banner().http;
    let lost = "inference request for sequence 5 to model 'Direct' must specify the START flag on the first request of the sequence";
    for (value, starts, bytes, expected) in [
        (100, true, 0, Ok(100)),
        (20, false, 0, Ok(120)),
        (30, true, 20 << 20, Err("cannot allocate 2")),
        (40, false, 0, Err(lost)),
        (50, false, 0, Err(lost)),
        (60, true, 0, Ok(60)),
        (70, false, 0, Ok(130)),
    ] {
        let answer = add(address, value, starts, bytes)?;
        match expected {
            Ok(sum) => {
                let sum = format!("\"data\":[{sum}]");
                assert!(answer.body.contains(&sum), "{value}: {answer:?}");
            }
            Err(text) => {
                assert!([400, 503].contains(&answer.status), "{value}: {answer:?}");
                assert!(answer.body.contains(text), "{value}: {answer:?}");
            }
        }
    }
    assert!(http::right(address));
    Ok(())
}

#[test]
fn stream_ends_at_a_response_without_shared_memory() -> Result<()> {
    let home = tempfile::tempdir()?;
    let mut command = shell(&[], LIMIT, "");
    prepare(&mut command, home.path())?;
    let server = Server::spawn(&mut command)?;
    let address = &server.banner().http;
    // A response is twice as large as its request, and there is one for each number up to the
    // value.
    let ask = |values: usize| {
        let values = vec!["3"; values].join(",");
        let body = format!("{{\"value\":[{values}]}}");
        let path = "/v2/models/Told/generate_stream";
        http::post(address, path, "X: x", body.as_bytes())
    };
    for _ in 0..2 {
        let answer = ask(3 << 20)?;
        let body = &answer.body[..answer.body.len().min(1000)];
        assert!(body.contains("cannot allocate 2"), "{body}");
        assert_eq!(answer.body.matches("data: ").count(), 1, "{body}");
        let answer = ask(1)?;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.body.matches("data: ").count(), 3, "{answer:?}");
        assert!(http::right(address));
    }
    Ok(())
}

/// Statistics of texts, which bypass tritonserver, must not need shared memory.
#[test]
fn openai_responses_need_no_shared_memory_of_the_worker() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), &[])?;
    let openai = server.banner().openai.clone().unwrap_or_default();
    let limit = Limit::lower(server.pid(), Resource::Fsize, 0)?;
    assert!(!http::right(&server.banner().http));
    for _ in 0..2 {
        let body = br#"{"model":"Letters","prompt":"abc","stream":true}"#;
        let answer = http::post(&openai, "/v1/completions", "X: x", body)?;
        assert_eq!(answer.status, 200, "{answer:?}");
        for piece in ["\"a\"", "\"b\"", "\"c\"", "[DONE]"] {
            assert!(answer.body.contains(piece), "{piece}: {answer:?}");
        }
        let body = br#"{"model":"Letters","prompt":"abc"}"#;
        let answer = http::post(&openai, "/v1/completions", "X: x", body)?;
        assert!(answer.body.contains(r#""text":"abc""#), "{answer:?}");
    }
    let stats = http::get(&server.banner().http, "/v2/models/Letters/stats")?;
    let stats: Value = serde_json::from_str(&stats.body).unwrap_or_default();
    // The letters, and the finish reason.
    for answer in ["0", "1", "2", "3"] {
        let counted = &stats["model_stats"][0]["response_stats"][answer]["success"]["count"];
        assert_eq!(counted, 4, "{answer}: {stats}");
    }
    drop(limit);
    wait_until("the return of the model", EXIT, || {
        http::right(&server.banner().http)
    });
    Ok(())
}

#[test]
fn exhausted_address_space_fails_one_batch() -> Result<()> {
    let home = tempfile::tempdir()?;
    let identity_server = env!("CARGO_BIN_EXE_example_identity");
    // 2 GiB.
    let serve = format!("ulimit -v 2097152 && exec '{identity_server}' \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &serve, "sh"]).args(FREE_PORTS);
    // Independent of the number of processors.
    command
        .arg("--http-thread-count=2")
        .env("MALLOC_ARENA_MAX", "2");
    prepare(&mut command, home.path())?;
    let server = Server::spawn(&mut command)?;
    let address = &server.banner().http;
    for _ in 0..2 {
        // The request is copied several times; the last copy fails in tritonserver or in the
        // worker.
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
