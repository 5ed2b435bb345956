//! SIGTERM and Ctrl-C: accepted requests are completed, and the exit code is 0.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use pytriton_tests::{Engine, Result, Server};

use crate::{MODELS, python, serve};

/// Far longer than an idle server needs, and shorter than its time limit for accepted requests.
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
fn idle_servers_stop_at_once() -> Result<()> {
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
fn shutdown_ends_in_time_although_every_thread_is_blocked() -> Result<()> {
    let binary = env!("CARGO_BIN_EXE_blocked_runtime");
    let server = Server::start(binary, &["--exit-timeout-secs=1"])?;
    let body = r#"{"inputs":[{"name":"x","datatype":"FP32","shape":[1,1],"data":[1]}]}"#;
    let head = "POST /v2/models/Blocking/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length";
    let request = format!("{head}: {}\r\n\r\n{body}", body.len());
    let mut client = TcpStream::connect(&server.banner().http)?;
    client.write_all(request.as_bytes())?;
    // No function is left that could respond.
    thread::sleep(Duration::from_millis(500));
    server.signal("TERM")?;
    let (status, log) = server.wait(EXIT)?;
    assert_eq!(status.code(), Some(1), "{log}");
    assert!(log.contains("not completed within 1 seconds"), "{log}");
    Ok(())
}

/// Stops a server after half of an OpenAI request has arrived, and sends the rest later.
fn stop_within_a_body(engine: Engine) -> Result<()> {
    let server = serve(engine, &[])?;
    let address = server.banner().openai.clone().unwrap_or_default();
    let body = r#"{"model":"Letters","prompt":"abc"}"#;
    let (begin, rest) = body.split_at(10);
    let head = "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length";
    let mut client = TcpStream::connect(&address)?;
    client.set_read_timeout(Some(EXIT))?;
    client.write_all(format!("{head}: {}\r\n\r\n{begin}", body.len()).as_bytes())?;
    thread::sleep(Duration::from_millis(300));
    server.signal("TERM")?;
    thread::sleep(Duration::from_millis(700));
    client.write_all(rest.as_bytes())?;
    let mut answer = String::new();
    client.read_to_string(&mut answer)?;
    assert!(
        answer.starts_with("HTTP/1.1 200 ") && answer.contains(r#""text":"abc""#),
        "{answer}"
    );
    let (status, log) = server.wait(EXIT)?;
    assert_eq!(status.code(), Some(0), "{log}");
    Ok(())
}

#[test]
fn openai_routes_complete_started_requests() -> Result<()> {
    stop_within_a_body(Engine::Embedded)
}

#[test]
fn openai_routes_complete_started_requests_next_to_tritonserver() -> Result<()> {
    stop_within_a_body(Engine::Tritonserver)
}

/// Stops a server while one sequence waits for its next request, and another one is executed.
fn stop_with_sequences(engine: Engine) -> Result<()> {
    let server = serve(engine, &[])?;
    let ask = |sequence, milliseconds| -> Result<TcpStream> {
        let body = format!(
            r#"{{"parameters":{{"sequence_id":{sequence},"sequence_start":true,"milliseconds":{milliseconds}}},
            "inputs":[{{"name":"VALUE","datatype":"INT32","shape":[1,1],"data":[{sequence}]}}]}}"#
        );
        let head = "POST /v2/models/Sums/infer HTTP/1.1\r\nHost: localhost\r\nConnection: close";
        let mut client = TcpStream::connect(&server.banner().http)?;
        client.set_read_timeout(Some(EXIT))?;
        let length = body.len();
        client.write_all(format!("{head}\r\nContent-Length: {length}\r\n\r\n{body}").as_bytes())?;
        Ok(client)
    };
    let sum = |mut client: TcpStream, expected: &str| -> Result<()> {
        let mut answer = String::new();
        client.read_to_string(&mut answer)?;
        assert!(
            answer.starts_with("HTTP/1.1 200 ") && answer.contains(expected),
            "{answer}"
        );
        Ok(())
    };
    sum(ask(1, 0)?, r#""data":[1]"#)?;
    let waits = ask(2, 500)?;
    let begun = Instant::now();
    while server.log()?.matches("a value is added").count() < 2 {
        assert!(begun.elapsed() < EXIT, "{}", server.log()?);
        thread::sleep(Duration::from_millis(1));
    }
    server.signal("TERM")?;
    sum(waits, r#""data":[2]"#)?;
    let (status, log) = server.wait(EXIT)?;
    assert_eq!(status.code(), Some(0), "{log}");
    let dropped = log.matches("the state of a sequence is dropped").count();
    assert_eq!(dropped, 2, "{log}");
    Ok(())
}

#[test]
fn shutdown_completes_requests_of_sequences_and_drops_their_state() -> Result<()> {
    stop_with_sequences(Engine::Embedded)
}

#[test]
fn shutdown_of_tritonserver_completes_requests_of_sequences_and_drops_their_state() -> Result<()> {
    stop_with_sequences(Engine::Tritonserver)
}

/// Starts a stream, and returns the connection after its first event.
fn stream(server: &Server, model: &str, body: &str) -> Result<(TcpStream, String)> {
    let head = format!("POST /v2/models/{model}/generate_stream HTTP/1.1\r\nHost: localhost");
    let mut client = TcpStream::connect(&server.banner().http)?;
    client.set_read_timeout(Some(EXIT))?;
    let length = body.len();
    client.write_all(format!("{head}\r\nContent-Length: {length}\r\n\r\n{body}").as_bytes())?;
    let mut seen = String::new();
    while !seen.contains("data: ") {
        let mut some = [0; 512];
        let read = client.read(&mut some)?;
        assert_ne!(read, 0, "{seen}");
        seen.push_str(&String::from_utf8_lossy(&some[..read]));
    }
    Ok((client, seen))
}

#[test]
fn stream_that_ends_before_the_deadline_is_complete() -> Result<()> {
    let server = Server::start(MODELS, &[])?;
    let (mut client, mut seen) =
        stream(&server, "SlowCount", r#"{"count":10,"milliseconds":100}"#)?;
    server.signal("TERM")?;
    client.read_to_string(&mut seen)?;
    assert_eq!(seen.matches("data: {\"OUTPUT_1\":").count(), 10, "{seen}");
    assert!(seen.ends_with("\r\n0\r\n\r\n"), "{seen}");
    assert_eq!(server.wait(EXIT)?.0.code(), Some(0));
    Ok(())
}

#[test]
fn a_stream_that_exceeds_the_deadline_fails() -> Result<()> {
    let server = Server::start(MODELS, &["--exit-timeout-secs=1"])?;
    let (mut waits, mut seen) = stream(
        &server,
        "PatientCount",
        r#"{"count":100,"milliseconds":100}"#,
    )?;
    let (mut reads, _) = stream(&server, "Endless", r#"{"_value":1}"#)?;
    server.signal("TERM")?;
    let endless = thread::spawn(move || {
        let mut seen = Vec::new();
        let _ = reads.read_to_end(&mut seen);
        seen
    });
    let _ = waits.read_to_string(&mut seen);
    assert!(
        seen.contains("data: {\"error\":\"Server is stopping"),
        "{seen}"
    );
    // An aborted stream has no last chunk.
    let seen = String::from_utf8(endless.join().unwrap()).unwrap();
    assert!(!seen.ends_with("\r\n0\r\n\r\n") || seen.contains("Server is stopping"));
    assert_eq!(server.wait(EXIT)?.0.code(), Some(1));
    Ok(())
}

#[test]
fn an_unread_response_is_logged() -> Result<()> {
    const BYTES: usize = 24 << 20;
    let server = Server::start(MODELS, &[])?;
    let header = format!(
        r#"{{"inputs":[{{"name":"INPUT_1","datatype":"UINT8","shape":[1,{BYTES}],"parameters":{{"binary_data_size":{BYTES}}}}}],"parameters":{{"binary_data_output":true}}}}"#
    );
    let head = format!(
        "POST /v2/models/I_UINT8/infer HTTP/1.1\r\nHost: localhost\r\nInference-Header-Content-Length: {}\r\nContent-Length: {}\r\n\r\n",
        header.len(),
        header.len() + BYTES
    );
    let mut client = TcpStream::connect(&server.banner().http)?;
    client.write_all(head.as_bytes())?;
    client.write_all(header.as_bytes())?;
    client.write_all(&vec![7; BYTES])?;
    // The response has started, and exceeds the buffers of the system.
    client.read_exact(&mut [0; 100])?;
    server.signal("TERM")?;
    let (status, log) = server.wait(EXIT)?;
    assert_eq!(status.code(), Some(0), "{log}");
    let expected = "closed connections whose clients did not read their responses";
    assert!(log.contains(expected), "{log}");
    assert!(log.contains("connections=1"), "{log}");
    Ok(())
}
