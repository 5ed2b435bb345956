//! Shutdown and readiness of the tritonserver engine: all ports stop at once with one deadline, and
//! accepted requests are completed.

#![cfg(all(tritonserver, feature = "embedded"))]
#![expect(clippy::unwrap_used, reason = "a helper of tests fails as a test does")]

mod client;
mod served;

use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use pytriton_runtime::port::Port;

use client::{Partial, connects, get, grpc, post, wait_until};
use served::{NAP, Served};

/// How long a server may take to end after its last response, including delays on a busy machine.
const AFTERWARDS: Duration = Duration::from_secs(3);

/// How long a stopping server may take until it refuses requests.
const NOTICED: Duration = Duration::from_secs(1);

const READY: &str = "/v2/health/ready";

#[test]
fn all_ports_stop_together() {
    let served = Served::start(&[]);
    let at = served.addresses();
    let (http, grpc_port) = (at.http().unwrap(), at.grpc().unwrap());
    let mut keep_alive = client::Kept::new(http);
    assert_eq!(keep_alive.get(READY), Some(200));
    // A request that is accepted but not sent to tritonserver until its body is complete.
    let mut partial = Partial::begin(at.get(Port::OpenAi).unwrap().address);
    thread::scope(|scope| {
        let stopping = scope.spawn(|| (served.triton.stop(), Instant::now()));
        wait_until("our ports to close", NOTICED, || {
            !connects(at.get(Port::Docs).unwrap().address)
        });
        wait_until("readiness to be false", NOTICED, || {
            keep_alive.get(READY) != Some(200)
        });
        wait_until("tritonserver's ports to close", NOTICED, || {
            get(http, READY).is_none() && !connects(grpc_port)
        });
        for _ in 0..20 {
            partial.go_on();
            assert!(!stopping.is_finished());
            assert_eq!(post(http, "Nap", &NAP.row(0)), None);
            assert!(keep_alive.get(READY) != Some(200) && !connects(grpc_port));
            thread::sleep(Duration::from_millis(50));
        }
        let answer = partial.end();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        assert!(answer.contains(r#""text":"abc""#), "{answer}");
        let last = Instant::now();
        let (stopped, at) = stopping.join().unwrap();
        stopped.unwrap();
        assert!(at < last + AFTERWARDS, "{:?}", at - last);
    });
}

#[test]
fn stream_cut_at_the_deadline_is_an_error() {
    let served = Served::start(&["--exit-timeout-secs=2"]);
    let at = served.addresses();
    let mut partial = Partial::begin(at.get(Port::OpenAi).unwrap().address);
    let begun = Instant::now();
    let stopped = thread::scope(|scope| {
        let stopping = scope.spawn(|| served.triton.stop());
        while !stopping.is_finished() {
            partial.go_on();
            thread::sleep(Duration::from_millis(20));
        }
        stopping.join().unwrap()
    });
    let error = stopped.unwrap_err().to_string();
    assert!(
        error.starts_with("accepted requests were not completed within 2 seconds"),
        "{error}"
    );
    let took = begun.elapsed();
    let limit = Duration::from_secs(2);
    assert!(
        took > limit - NOTICED && took < limit + AFTERWARDS,
        "{took:?}"
    );
}

/// The connection has no traffic, and no instance has the request: only tritonserver's queue does.
#[test]
fn grpc_request_waiting_for_a_sequence_slot_completes() {
    for arguments in [&[][..], &["--allow-metrics=false"]] {
        let served = Served::start(arguments);
        let at = served.addresses();
        assert_eq!(
            post(at.http().unwrap(), "Sums", &NAP.of_sequence(1)),
            Some(200)
        );
        thread::scope(|scope| {
            let waits = scope.spawn(|| grpc::sequence(at.grpc().unwrap(), 2));
            match at.metrics() {
                Some(metrics) => wait_until("the request to wait", NOTICED, || {
                    let text = client::exchange(metrics, "GET /metrics", "").unwrap_or_default();
                    text.contains(r#"pending_request_count{model="Sums",version="1"} 1"#)
                }),
                // There is no other sign.
                None => thread::sleep(NOTICED),
            }
            served.triton.stop().unwrap();
            assert_eq!(waits.join().unwrap(), Ok(2.0), "{arguments:?}");
        });
    }
}

/// tritonserver frees the slot when the other sequence has been idle for five seconds, and has no
/// way to refuse what waits before then.
#[test]
fn request_waiting_for_a_sequence_slot_at_the_deadline_is_cancelled_and_reported() {
    let served = Served::start(&["--exit-timeout-secs=2"]);
    let at = served.addresses();
    assert_eq!(
        post(at.http().unwrap(), "Sums", &NAP.of_sequence(1)),
        Some(200)
    );
    thread::scope(|scope| {
        let waits = scope.spawn(|| grpc::sequence(at.grpc().unwrap(), 2));
        wait_until("the request to wait", NOTICED, || {
            let text = client::exchange(at.metrics().unwrap(), "GET /metrics", "");
            let text = text.unwrap_or_default();
            text.contains(r#"pending_request_count{model="Sums",version="1"} 1"#)
        });
        let begun = Instant::now();
        let error = served.triton.stop().unwrap_err().to_string();
        let took = begun.elapsed();
        assert!(error.contains("1 connections were closed"), "{error}");
        assert!(waits.join().unwrap().is_err());
        let limit = Duration::from_secs(2);
        assert!(
            took > limit - NOTICED && took < limit + AFTERWARDS,
            "{took:?}"
        );
    });
}

#[test]
fn stream_without_requests_does_not_delay_shutdown() {
    let served = Served::start(&[]);
    let at = served.addresses();
    // The sequence keeps a slot, and no request of it waits.
    assert_eq!(
        post(at.http().unwrap(), "Sums", &NAP.of_sequence(1)),
        Some(200)
    );
    let stream = grpc::open_stream(at.grpc().unwrap());
    let begun = Instant::now();
    served.triton.stop().unwrap();
    assert!(begun.elapsed() < served::IDLE, "{:?}", begun.elapsed());
    drop(stream);
}

/// Triton 2.51 itself reports every loaded model as ready.
#[test]
fn a_model_and_the_server_are_ready_while_one_instance_is() {
    const STALL: u32 = 3000;
    let served = Served::start(&[]);
    let http = served.addresses().http().unwrap();
    let ready = || [get(http, "/v2/models/Pair/ready"), get(http, READY)];
    let ask = |milliseconds| post(http, "Pair", &NAP.row(milliseconds));
    assert_eq!(ready(), [Some(200); 2]);
    assert_eq!(ask(STALL), Some(503));
    let begun = Instant::now();
    for _ in 0..4 {
        assert_eq!((ask(1), ready()), (Some(200), [Some(200); 2]));
    }
    assert_eq!(ask(STALL), Some(503));
    assert_eq!((ask(1), ready()), (Some(503), [Some(400); 2]));
    // On a machine that is too busy the first call may have returned.
    assert!(begun.elapsed() < Duration::from_millis(STALL.into()));
    wait_until("the instances to return", 5 * NOTICED, || {
        ready() == [Some(200); 2]
    });
    assert_eq!(ask(1), Some(200));
    served.triton.stop().unwrap();
}

#[test]
fn platform_port_stops_with_the_others() {
    let port = client::free_port();
    let sagemaker = std::net::SocketAddr::from(([127, 0, 0, 1], port));
    let served = Served::start(&[
        "--allow-sagemaker=true",
        &format!("--sagemaker-port={port}"),
    ]);
    let http = served.addresses().http().unwrap();
    assert_eq!(get(sagemaker, "/ping"), Some(200));
    thread::scope(|scope| {
        let nap = scope.spawn(|| post(http, "Nap", &NAP.row(2500)));
        wait_until("the nap", NOTICED, served::napping);
        let stopping = scope.spawn(|| served.triton.stop());
        let refused = || TcpStream::connect_timeout(&sagemaker, NOTICED / 5).is_err();
        wait_until("its port to close", NOTICED, refused);
        for _ in 0..5 {
            assert!(refused() && !nap.is_finished());
        }
        assert_eq!(nap.join().unwrap(), Some(200));
        stopping.join().unwrap().unwrap();
    });
}
