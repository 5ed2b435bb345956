//! SIGTERM while requests are sent slowly, are slow to parse or to format, or never end.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use pytriton_tests::{Result, Server};

use crate::engine::start;
use crate::process::wait_until;
use crate::{EXIT, http};

/// The time limit for the end of a server after its last response: one second, plus a margin for a
/// busy machine.
pub(crate) const AFTERWARDS: Duration = Duration::from_secs(9);

/// The time limit of the slowest request on a busy machine.
pub(crate) const SHUTDOWN_LIMIT: Duration = Duration::from_secs(20);

/// Far more clients than processors.
const CLIENTS: usize = 48;

/// The number of elements of a tensor that takes a second or two as JSON.
const ELEMENTS: usize = 8 << 20;

const PATH: &str = "/v2/models/I_UINT8/infer";

/// Returns a request with a JSON tensor and a binary response.
fn slow_to_read() -> Vec<u8> {
    let data = vec!["7"; ELEMENTS].join(",");
    format!(
        r#"{{"inputs":[{{"name":"INPUT_1","datatype":"UINT8","shape":[1,{ELEMENTS}],"data":[{data}]}}],"parameters":{{"binary_data_output":true}}}}"#
    )
    .into_bytes()
}

/// Returns the header and the body of a request with a binary tensor and a JSON response.
fn slow_to_answer() -> (String, Vec<u8>) {
    let header = format!(
        r#"{{"inputs":[{{"name":"INPUT_1","datatype":"UINT8","shape":[1,{ELEMENTS}],"parameters":{{"binary_data_size":{ELEMENTS}}}}}]}}"#
    );
    let body = [header.as_bytes(), &vec![7; ELEMENTS]].concat();
    let head = format!("Inference-Header-Content-Length: {}", header.len());
    (head, body)
}

/// Waits until the server has ended successfully, soon after the last response.
pub(crate) fn ends(server: Server, last: Instant) -> Result<String> {
    let (status, log) = server.wait(EXIT)?;
    assert!(last.elapsed() < AFTERWARDS, "{:?} {log}", last.elapsed());
    assert_eq!(status.code(), Some(0), "{log}");
    Ok(log)
}

pub(crate) fn answered(server: &Server, model: &str) -> bool {
    let metrics = &server.banner().metrics;
    http::metric(metrics, "nv_inference_request_success", model).is_ok_and(|count| count > 0.0)
}

#[test]
fn slowly_sent_request_completes() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), &[])?;
    let body = slow_to_read();
    let stream = http::send(&server.banner().http, PATH, body.len(), &body)?;
    server.signal("TERM")?;
    let answer = http::receive(stream)?;
    let last = Instant::now();
    assert_eq!(answer.status, 200, "{} bytes", answer.body.len());
    assert!(answer.body.ends_with(&"\u{7}".repeat(ELEMENTS)));
    ends(server, last)?;
    Ok(())
}

#[test]
fn large_response_arrives_completely() -> Result<()> {
    for encoding in ["", "\r\nAccept-Encoding: gzip"] {
        let home = tempfile::tempdir()?;
        let server = start(home.path(), &[])?;
        let (head, body) = slow_to_answer();
        let head = head + encoding;
        let stream = http::send_with(&server.banner().http, PATH, &head, body.len(), &body)?;
        wait_until("the function", EXIT, || answered(&server, "I_UINT8"));
        server.signal("TERM")?;
        let answer = http::receive(stream)?;
        let last = Instant::now();
        assert_eq!(answer.status, 200, "{} bytes", answer.body.len());
        if encoding.is_empty() {
            assert!(
                answer
                    .body
                    .ends_with(&format!("{}7]}}]}}", "7,".repeat(ELEMENTS - 1)))
            );
        }
        ends(server, last)?;
    }
    Ok(())
}

#[test]
fn paused_body_is_awaited() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), &[])?;
    let body = format!(
        r#"{{"inputs":[{{"name":"x","datatype":"FP32","shape":[1,2],"data":[3,5]}}]}}{}"#,
        " ".repeat(9000)
    );
    let (first, rest) = body.as_bytes().split_at(40);
    let address = &server.banner().http;
    let mut fresh = http::send(address, "/v2/models/Gather/infer", body.len(), first)?;
    // A connection with an earlier response.
    let mut used = TcpStream::connect(address)?;
    used.write_all(b"GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")?;
    assert_eq!(used.read(&mut [0; 1000])?, 64);
    thread::sleep(Duration::from_millis(20));
    let head = format!(
        "POST /v2/models/Gather/infer HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    used.write_all(&[head.as_bytes(), first].concat())?;
    server.signal("TERM")?;
    thread::sleep(Duration::from_secs(2));
    for stream in [&mut fresh, &mut used] {
        stream.write_all(&rest[..4000])?;
        thread::sleep(Duration::from_millis(400));
        stream.write_all(&rest[4000..])?;
    }
    for stream in [fresh, used] {
        let answer = http::receive(stream)?;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    ends(server, Instant::now())?;
    Ok(())
}

/// A client that sends requests, and reconnects when its connection is closed, until the server is
/// gone. Returns the responses and the time of the last one.
fn ask_on(address: &str, slot: usize) -> (Vec<usize>, Instant) {
    let (mut answered, mut last) = (Vec::new(), Instant::now());
    let mut number = slot * 1_000_000;
    while let Ok(mut stream) = TcpStream::connect(address) {
        let _ = stream.set_read_timeout(Some(SHUTDOWN_LIMIT));
        while let Some(status) = ask(&mut stream, number) {
            last = Instant::now();
            if status == 200 {
                answered.push(number);
            }
            number += 1;
        }
    }
    (answered, last)
}

/// Returns the status of a correct response or of a refusal, or `None` if the request was not
/// accepted.
fn ask(stream: &mut TcpStream, number: usize) -> Option<u16> {
    let body = format!(
        r#"{{"inputs":[{{"name":"x","datatype":"UINT32","shape":[1,1],"data":[{number}]}}]}}"#
    );
    let head = format!(
        "POST /v2/models/Ledger/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).ok()?;
    let (mut answer, mut bytes) = (Vec::new(), [0; 4096]);
    while !complete(&answer) {
        match stream.read(&mut bytes) {
            Ok(len @ 1..) => answer.extend_from_slice(&bytes[..len]),
            // No byte of a response.
            _ if answer.is_empty() => return None,
            other => panic!("{other:?} after {:?}", String::from_utf8_lossy(&answer)),
        }
    }
    let answer = String::from_utf8_lossy(&answer);
    match answer.split(' ').nth(1) {
        Some("200") if answer.contains(&format!(r#""data":[{number}]"#)) => Some(200),
        Some("503") => Some(503),
        _ => panic!("{answer}"),
    }
}

fn complete(answer: &[u8]) -> bool {
    let text = String::from_utf8_lossy(answer);
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head
        .lines()
        .filter_map(|line| line.split_once(": "))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    length.and_then(|(_, length)| length.parse().ok()) == Some(body.len())
}

#[test]
fn continuous_requests_complete_and_then_are_refused() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), &[])?;
    let banner = server.banner().clone();
    let mut answered = BTreeSet::new();
    let mut last = None;
    let (status, log) = thread::scope(|scope| -> Result<_> {
        let address = &banner.http;
        let clients = (0..CLIENTS).map(|slot| scope.spawn(move || ask_on(address, slot)));
        let clients: Vec<_> = clients.collect();
        let warm = || {
            let count = http::metric(&banner.metrics, "nv_inference_request_success", "Ledger");
            count.is_ok_and(|count| count > 500.0)
        };
        wait_until("some answers", EXIT, warm);
        server.signal("TERM")?;
        let ended = server.wait(SHUTDOWN_LIMIT)?;
        for client in clients {
            let Ok((right, at)) = client.join() else {
                panic!("a client panicked");
            };
            answered.extend(right);
            last = last.max(Some(at));
        }
        Ok(ended)
    })?;
    assert_eq!(status.code(), Some(0), "{log}");
    let last = last.map_or(SHUTDOWN_LIMIT, |last| last.elapsed());
    assert!(last < AFTERWARDS, "{last:?} {log}");
    let executed = log
        .lines()
        .filter_map(|line| line.strip_prefix("executed "));
    let executed: BTreeSet<usize> = executed.filter_map(|number| number.parse().ok()).collect();
    let lost: Vec<_> = executed.symmetric_difference(&answered).collect();
    assert!(lost.is_empty(), "{lost:?} of {}", answered.len());
    Ok(())
}

#[test]
fn closed_requests_are_logged() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), &["--exit-timeout-secs=2"])?;
    let address = &server.banner().http;
    let half = http::send(address, PATH, 1000, b"{")?;
    let naps = [(); 2].map(|()| http::nap(address, "Slow", 8000));
    let waiting = || {
        let pending = "nv_inference_pending_request_count";
        http::metric(&server.banner().metrics, pending, "Slow").is_ok_and(|count| count == 1.0)
    };
    wait_until("the arrival of the requests", EXIT, waiting);
    let begun = Instant::now();
    server.signal("TERM")?;
    let (status, log) = server.wait(EXIT)?;
    let took = begun.elapsed();
    assert_eq!(status.code(), Some(1), "{log}");
    let expected = "error: accepted requests were not completed within 2 seconds: 3 connections were closed (option --exit-timeout-secs)";
    assert!(log.contains(expected), "{log}");
    assert!(took > Duration::from_millis(1900), "{took:?}");
    assert!(took < Duration::from_secs(2) + AFTERWARDS, "{took:?}");
    for stream in [Ok(half)].into_iter().chain(naps) {
        assert!(http::receive(stream?).map_or(true, |answer| answer.status == 0));
    }
    Ok(())
}
