//! SIGTERM under load, and repeated SIGTERM.

use std::io::{ErrorKind, Read};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use pytriton_tests::Result;

use crate::engine::{start, workspaces};
use crate::load::Load;
use crate::process::{child, group, wait_until};
use crate::{EXIT, NOTICED, http};

/// The time limit for completing accepted requests in these tests, far below the server's own.
const DRAINED: Duration = Duration::from_secs(5);

/// Returns the number of completed and queued naps, which excludes the running one.
fn arrived(metrics: &str) -> f64 {
    let count = |family| http::metric(metrics, family, "Slow").unwrap_or_default();
    count("nv_inference_pending_request_count") + count("nv_inference_request_success")
}

#[test]
fn every_accepted_request_receives_a_response() -> Result<()> {
    let home = tempfile::tempdir()?;
    let mut load = Load::new()?;
    let server = start(home.path(), &[])?;
    let banner = server.banner().clone();
    load.begin(&server, "Gather")?;
    // One nap runs, the others wait.
    let naps: Vec<_> = (0..6)
        .map(|more| http::nap(&banner.http, "Slow", 100 + more))
        .collect::<Result<_>>()?;
    let arrived = || arrived(&banner.metrics) >= 5.0;
    wait_until("the arrival of the requests", EXIT, arrived);
    // The clients send no further requests, but keep their connections open.
    let report = load.end()?;
    report.check();
    assert!(!report.has_errors(), "{}", report.text());
    let begun = Instant::now();
    server.signal("TERM")?;
    let answers: Vec<_> = naps
        .into_iter()
        .map(|nap| thread::spawn(move || http::receive(nap)))
        .collect();
    for (more, answer) in answers.into_iter().enumerate() {
        let Ok(answer) = answer.join() else {
            panic!("the client panicked");
        };
        let answer = answer?;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let expected = format!("[{}]", 100 + more);
        assert!(answer.body.contains(&expected), "{}", answer.body);
    }
    let (status, log) = server.wait(EXIT)?;
    assert_eq!(status.code(), Some(0), "{log}");
    assert!(begun.elapsed() < DRAINED, "{:?}", begun.elapsed());
    assert!(workspaces(home.path()).is_empty());
    Ok(())
}

/// A large response is still being sent after the last batch.
#[test]
fn slow_reader_receives_its_complete_response() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), &[])?;
    let columns = 4 << 20;
    let header = format!(
        r#"{{"inputs":[{{"name":"INPUT_1","datatype":"UINT8","shape":[1,{columns}],"parameters":{{"binary_data_size":{columns}}}}}],"parameters":{{"binary_data_output":true}}}}"#
    );
    let body = [header.as_bytes(), &vec![7; columns]].concat();
    let head = format!("Inference-Header-Content-Length: {}", header.len());
    let path = "/v2/models/I_UINT8/infer";
    let stream = http::send_with(&server.banner().http, path, &head, body.len(), &body)?;
    let answered = || {
        http::metric(
            &server.banner().metrics,
            "nv_inference_request_success",
            "I_UINT8",
        )
        .is_ok_and(|count| count > 0.0)
    };
    wait_until("the answer", EXIT, answered);
    server.signal("TERM")?;
    // Longer than an idle server needs to end.
    thread::sleep(Duration::from_millis(900));
    let answer = http::receive(stream)?;
    assert_eq!(answer.status, 200);
    assert!(answer.body.len() > columns, "{}", answer.body.len());
    assert_eq!(server.wait(EXIT)?.0.code(), Some(0));
    Ok(())
}

#[test]
fn endless_clients_do_not_prevent_shutdown() -> Result<()> {
    let home = tempfile::tempdir()?;
    let mut load = Load::new()?;
    let server = start(home.path(), &["--exit-timeout-secs=2"])?;
    load.begin(&server, "Gather")?;
    let begun = Instant::now();
    server.signal("TERM")?;
    let (status, log) = server.wait(EXIT)?;
    assert!(begun.elapsed() < DRAINED, "{:?}", begun.elapsed());
    assert_eq!(status.code(), Some(0), "{log}");
    let report = load.end()?;
    report.check();
    assert!(report.has_errors(), "{}", report.text());
    assert!(workspaces(home.path()).is_empty());
    Ok(())
}

#[test]
fn pending_requests_are_refused_together_at_the_deadline() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), &["--exit-timeout-secs=2"])?;
    let banner = server.banner().clone();
    let naps: Vec<_> = (0..40)
        .map(|_| http::nap(&banner.http, "Slow", 100))
        .collect::<Result<_>>()?;
    let arrived = || arrived(&banner.metrics) >= 39.0;
    wait_until("the arrival of the requests", EXIT, arrived);
    server.signal("TERM")?;
    let receive = |nap| thread::spawn(move || (http::receive(nap), Instant::now()));
    let answers: Vec<_> = naps.into_iter().map(receive).collect();
    let (mut answered, mut refused) = (0, Vec::new());
    for answer in answers {
        let Ok((answer, at)) = answer.join() else {
            panic!("the client panicked");
        };
        let answer = answer?;
        match answer.status {
            200 => answered += 1,
            _ => {
                let words = "Server is stopping, scheduler for model has stopped accepting";
                assert!(answer.body.contains(words), "{answer:?}");
                refused.push(at);
            }
        }
    }
    assert!(answered > 0 && refused.len() > 5, "{answered} {refused:?}");
    // With polling, each pause would be longer than this.
    refused.sort();
    let pauses = refused.windows(2).map(|pair| pair[1] - pair[0]);
    let mut pauses: Vec<_> = pauses.collect();
    pauses.sort();
    let median = pauses[pauses.len() / 2];
    assert!(median < Duration::from_millis(50), "{pauses:?}");
    let (status, log) = server.wait(EXIT)?;
    assert_eq!(status.code(), Some(0), "{log}");
    Ok(())
}

/// tritonserver closes its HTTP port itself, and its gRPC port only after that.
#[test]
fn no_port_accepts_requests_when_the_first_is_closed() -> Result<()> {
    /// How long an open connection is observed. A refused one is closed at once.
    const OBSERVED: Duration = Duration::from_millis(1);

    let home = tempfile::tempdir()?;
    let server = start(home.path(), &[])?;
    let banner = server.banner().clone();
    let nap = http::nap(&banner.http, "Slow", 1000)?;
    let is_open = |address: &str| {
        TcpStream::connect(address).is_ok_and(|mut stream| {
            let timed = stream.set_read_timeout(Some(OBSERVED));
            let closed = stream.read(&mut [0]);
            timed.is_ok() && closed.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
        })
    };
    assert!(is_open(&banner.http));
    assert!(TcpStream::connect(&banner.grpc).is_ok());
    server.signal("TERM")?;
    wait_until("the end of the HTTP port", EXIT, || !is_open(&banner.http));
    assert!(TcpStream::connect(&banner.grpc).is_err());
    assert_eq!(http::receive(nap)?.status, 200);
    let (status, log) = server.wait(EXIT)?;
    assert_eq!(status.code(), Some(0), "{log}");
    Ok(())
}

#[test]
fn second_signal_ends_the_server_at_once() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), &[])?;
    let banner = server.banner().clone();
    let naps = [(); 2].map(|()| http::nap(&banner.http, "Slow", 8000));
    let waiting = || {
        let pending = "nv_inference_pending_request_count";
        http::metric(&banner.metrics, pending, "Slow").is_ok_and(|count| count > 0.0)
    };
    wait_until("the arrival of the requests", EXIT, waiting);
    let stopping = || {
        let log = server.log();
        log.is_ok_and(|log| log.contains("stopping: completing accepted requests"))
    };
    let child = child(&server).unwrap_or_default();
    server.signal("TERM")?;
    wait_until("the first signal", EXIT, stopping);
    server.signal("TERM")?;
    let (status, log) = server.wait(NOTICED)?;
    assert_eq!(status.code(), Some(1), "{log}");
    assert!(log.contains("SIGTERM was received again"), "{log}");
    wait_until("the end of tritonserver", NOTICED, || {
        group(child).is_empty()
    });
    assert!(workspaces(home.path()).is_empty());
    // The clients receive no response, but the end of the connection.
    for nap in naps {
        assert!(http::receive(nap?).map_or(true, |answer| answer.status == 0));
    }
    Ok(())
}
