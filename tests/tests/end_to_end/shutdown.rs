//! SIGTERM and Ctrl-C: accepted requests are answered, the exit code is 0.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use pytriton_tests::{Engine, Result, Server};

use crate::{MODELS, python, serve};

/// Far longer than an idle server needs, shorter than its own deadline for accepted requests.
const EXIT: Duration = Duration::from_secs(10);

/// Starts a server, stops it under load, and waits for its end.
fn stop_under_load(engine: Engine) -> Result<()> {
    let python = python()?;
    let server = serve(engine, &[])?;
    python.test("test_shutdown.py", &server)?;
    assert_eq!(server.wait(EXIT)?.0.code(), Some(0));
    Ok(())
}

#[test]
fn under_load_no_response_is_lost() -> Result<()> {
    stop_under_load(Engine::Embedded)
}

#[test]
fn under_load_no_response_is_lost_by_tritonserver() -> Result<()> {
    stop_under_load(Engine::Tritonserver)
}

#[test]
fn idle_servers_end_at_once() -> Result<()> {
    for signal in ["TERM", "INT"] {
        let server = Server::start(MODELS, &[])?;
        server.signal(signal)?;
        let (status, log) = server.wait(EXIT)?;
        assert_eq!(status.code(), Some(0), "{signal}");
        assert!(log.contains("stopping"), "{log}");
        assert!(!log.contains('\u{1b}'), "a file has no colours: {log}");
    }
    Ok(())
}

#[test]
fn it_ends_in_time_although_every_thread_is_held_up() -> Result<()> {
    let binary = env!("CARGO_BIN_EXE_held_up");
    let server = Server::start(binary, &["--exit-timeout-secs=1"])?;
    let body = r#"{"inputs":[{"name":"x","datatype":"FP32","shape":[1,1],"data":[1]}]}"#;
    let head = "POST /v2/models/HeldUp/infer HTTP/1.1\r\nHost: x\r\nContent-Length";
    let request = format!("{head}: {}\r\n\r\n{body}", body.len());
    let mut client = TcpStream::connect(&server.banner().http)?;
    client.write_all(request.as_bytes())?;
    // Nobody is left who could answer.
    thread::sleep(Duration::from_millis(500));
    server.signal("TERM")?;
    let (status, log) = server.wait(EXIT)?;
    assert_eq!(status.code(), Some(1), "{log}");
    assert!(log.contains("1 seconds were not enough"), "{log}");
    Ok(())
}

#[test]
fn an_answer_that_nobody_takes_is_said() -> Result<()> {
    const BYTES: usize = 24 << 20;
    let server = Server::start(MODELS, &[])?;
    let header = format!(
        r#"{{"inputs":[{{"name":"INPUT_1","datatype":"UINT8","shape":[1,{BYTES}],"parameters":{{"binary_data_size":{BYTES}}}}}],"parameters":{{"binary_data_output":true}}}}"#
    );
    let head = format!(
        "POST /v2/models/I_UINT8/infer HTTP/1.1\r\nHost: x\r\nInference-Header-Content-Length: {}\r\nContent-Length: {}\r\n\r\n",
        header.len(),
        header.len() + BYTES
    );
    let mut client = TcpStream::connect(&server.banner().http)?;
    client.write_all(head.as_bytes())?;
    client.write_all(header.as_bytes())?;
    client.write_all(&vec![7; BYTES])?;
    // The answer has begun, and is more than the system takes.
    client.read_exact(&mut [0; 100])?;
    server.signal("TERM")?;
    let (status, log) = server.wait(EXIT)?;
    assert_eq!(status.code(), Some(0), "{log}");
    let expected = "connections were closed whose clients did not take their answers";
    assert!(log.contains(expected), "{log}");
    assert!(log.contains("connections=1"), "{log}");
    Ok(())
}
