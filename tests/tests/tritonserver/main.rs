//! The worker with a real tritonserver, which the product's own `install` downloads.

#[cfg(test)]
mod harness;
mod models;

use std::sync::PoisonError;
use std::thread;
use std::time::{Duration, Instant};

use harness::{TestServer, infer, json};

#[test]
fn responses_equal_the_results_of_the_functions() {
    let server = TestServer::start();
    let answer = infer(
        &server,
        "Double",
        r#"{"id":"7","inputs":[{"name":"x","datatype":"FP32","shape":[2,2],"data":[1,2,3,4]}]}"#,
    );
    assert_eq!(answer.0, 200, "{answer:?}");
    assert!(answer.1.contains(r#""id":"7""#), "{answer:?}");
    assert!(
        answer.1.contains(r#""data":[2.0,4.0,6.0,8.0]"#),
        "{answer:?}"
    );

    let words =
        r#"{"inputs":[{"name":"x","datatype":"BYTES","shape":[1,3],"data":["","a","ünï"]}]}"#;
    let answer = infer(&server, "Words", words);
    assert!(answer.1.contains(r#""data":["","a","ünï"]"#), "{answer:?}");
    let optional = r#"{"inputs":[{"name":"x","datatype":"BYTES","shape":[1,1],"data":["a"]},{"name":"suffix","datatype":"BYTES","shape":[1,1],"data":["b"]}]}"#;
    let answer = infer(&server, "Words", optional);
    assert!(answer.1.contains(r#""data":["ab"]"#), "{answer:?}");

    let seen = r#"{"id":"9","parameters":{"beams":4,"greedy":true,"user":"me"},"outputs":[{"name":"seen"}],"inputs":[{"name":"x","datatype":"FP32","shape":[1,1],"data":[0]}]}"#;
    let answer = infer(&server, "Seen", seen);
    assert!(
        answer.1.contains("9 beams=4 greedy=true user=me [seen]"),
        "{answer:?}"
    );

    let (status, error) = infer(&server, "Double", &json("x", &[-1.0]));
    assert_eq!(
        (status, error.as_str()),
        (
            500,
            r#"{"error":"model 'Double' panicked: asked to panic"}"#
        )
    );
    let (status, _) = infer(&server, "Double", &json("x", &[1.0]));
    assert_eq!(status, 200);
}

#[test]
fn batches_are_split_correctly_under_load() {
    let server = TestServer::start();
    thread::scope(|scope| {
        for client in 0..16_u16 {
            let server = &server;
            scope.spawn(move || {
                for round in 0..100_u16 {
                    let value = f32::from(client * 1000 + round);
                    let answer = infer(server, "Double", &json("x", &[value, value + 0.5]));
                    let expected = format!(r#""data":[{:?},{:?}]"#, value * 2.0, value * 2.0 + 1.0);
                    assert!(answer.1.contains(&expected), "{answer:?} {expected}");
                }
            });
        }
    });
    let (_, statistics) = server.get("/v2/models/Double/stats");
    assert!(
        statistics.contains(r#""inference_count":1600"#),
        "{statistics}"
    );
}

#[test]
fn a_function_may_keep_its_tensors() {
    let server = TestServer::start();
    for value in 0..50_u8 {
        let (status, _) = infer(&server, "Keep", &json("x", &[f32::from(value); 5]));
        assert_eq!(status, 200);
    }
    let received = models::KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(received.len(), 50);
    for (value, request) in (0_u8..).zip(received.iter()) {
        let x = request.array::<f32>("x").unwrap().unwrap();
        assert!(x.iter().all(|&x| x == f32::from(value)), "{value} {x}");
    }
}

#[test]
fn instances_run_in_parallel() {
    let server = TestServer::start();
    let begun = Instant::now();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| infer(&server, "Slow", &json("x", &[1.0])));
        }
    });
    let took = begun.elapsed();
    assert!(took < Duration::from_millis(1900), "{took:?}");
}

#[test]
fn memory_of_a_large_request_is_released() {
    let server = TestServer::start();
    let columns = 8 << 20;
    let (status, length) = server.binary("Double", columns);
    assert_eq!((status, length >= columns * 4), (200, true));
    let large = server.shared_memory();
    let begun = Instant::now();
    while server.shared_memory() + (16 << 20) > large {
        assert!(begun.elapsed() < Duration::from_secs(10));
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(infer(&server, "Double", &json("x", &[1.0])).0, 200);
}

#[test]
fn instances_survive_a_killed_tritonserver() {
    let mut server = TestServer::start();
    for value in [10.0, 11.0, 12.0] {
        thread::scope(|scope| {
            let slow = scope.spawn(|| infer(&server, "Slow", &json("x", &[value])));
            models::begun(value);
            server.kill();
            assert_eq!(slow.join().unwrap().0, 0);
        });
        server.restart();
        let (status, _) = infer(&server, "Double", &json("x", &[1.0]));
        assert_eq!(status, 200);
    }
}

#[test]
fn stopping_worker_completes_running_batches_and_refuses_others() {
    let mut server = TestServer::start();
    thread::scope(|scope| {
        let port = server.port();
        let slow = scope.spawn(move || harness::infer_at(port, "Slow", &json("x", &[20.0])));
        models::begun(20.0);
        server.stop_worker();
        assert_eq!(slow.join().unwrap().0, 200);
    });
    let begun = Instant::now();
    let (status, error) = infer(&server, "Double", &json("x", &[1.0]));
    assert_eq!(status, 503);
    assert_eq!(
        error,
        r#"{"error":"the process that runs the model has ended"}"#
    );
    assert!(begun.elapsed() < Duration::from_secs(1));
}
