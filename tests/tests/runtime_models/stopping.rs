//! Servers start, stop and restart, several at the same time, called from any thread.

use std::net::TcpStream;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};
use std::{fs, io};

use pytriton::error::ServerError;
use pytriton::ndarray::Ix2;
use pytriton::runtime_models::{Function, PerBatch};
use pytriton::testing;
use pytriton_tests::Engine;
use serde_json::json;

use crate::http::{begin, infer};
use crate::{DEADLINE, Result, builder, model, triton};

fn times(by: f32) -> Function {
    Function::new(PerBatch, move |call| Ok(&call.array::<f32, Ix2>("x")? * by))
}

/// Waits at the barrier twice in each call: when it starts, and until the test continues.
fn held(barrier: &Arc<Barrier>) -> Function {
    let barrier = barrier.clone();
    Function::new(PerBatch, move |call| {
        barrier.wait();
        barrier.wait();
        Ok(call.array::<f32, Ix2>("x")?.into_owned())
    })
}

#[test]
fn accepted_requests_complete() -> Result<()> {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let triton = triton(engine)?;
        let barrier = Arc::new(Barrier::new(2));
        triton.bind(model("held"), held(&barrier))?;
        let at = triton.run()?.http().ok_or("no HTTP")?;
        let asked = begin(at, "held", &[&[1.0]])?;
        barrier.wait();
        thread::scope(|scope| {
            let stopping = scope.spawn(|| triton.stop());
            let begun = Instant::now();
            while TcpStream::connect(at).is_ok_and(|stream| accepts(&stream)) {
                assert!(begun.elapsed() < DEADLINE, "{engine:?}");
            }
            assert!(!stopping.is_finished());
            barrier.wait();
            assert_eq!(asked.answer()?.status, 200, "{engine:?}");
            stopping.join().map_err(|_| "it panicked")??;
            Ok::<_, Box<dyn std::error::Error>>(())
        })?;
        assert!(triton.addresses().is_none());
    }
    Ok(())
}

/// Returns whether a connection stays open; tritonserver closes new connections during shutdown.
fn accepts(mut stream: &TcpStream) -> bool {
    use std::io::Read;
    let wait = Duration::from_millis(50);
    stream.set_read_timeout(Some(wait)).is_ok() && stream.read(&mut [0]).is_err()
}

#[test]
fn slow_requests_fail_at_the_deadline() -> Result<()> {
    let builder = builder(Engine::Embedded)?;
    let triton = builder
        .options(|options| options.exit_timeout_secs = 0)
        .build()?;
    let barrier = Arc::new(Barrier::new(2));
    triton.bind(model("held"), held(&barrier))?;
    let at = triton.run()?.http().ok_or("no HTTP")?;
    let asked = begin(at, "held", &[&[1.0]])?;
    barrier.wait();
    assert!(matches!(
        triton.stop(),
        Err(ServerError::Drain { seconds: 0 })
    ));
    assert_eq!(asked.answer()?.status, 503);
    barrier.wait();
    Ok(())
}

#[test]
fn several_servers_coexist() -> Result<()> {
    let servers = [2.0, 3.0].map(|by| {
        let triton = triton(Engine::Embedded)?;
        triton.bind(model("same"), times(by))?;
        let at = triton.run()?.http().ok_or("no HTTP")?;
        Ok::<_, Box<dyn std::error::Error>>((triton, at))
    });
    let [one, two] = servers;
    let ((one, first), (two, second)) = (one?, two?);
    assert_eq!(infer(first, "same", &[&[1.0]])?, json!([2.0]));
    assert_eq!(infer(second, "same", &[&[1.0]])?, json!([3.0]));
    one.stop()?;
    one.stop()?;
    assert!(TcpStream::connect(first).is_err());
    assert_eq!(infer(second, "same", &[&[1.0]])?, json!([3.0]));
    // It restarts with the bound models.
    let first = one.run()?.http().ok_or("no HTTP")?;
    assert_eq!(infer(first, "same", &[&[1.0]])?, json!([2.0]));
    drop(two);
    assert!(TcpStream::connect(second).is_err());
    Ok(())
}

#[tokio::test]
async fn server_is_stopped_from_async_code() -> Result<()> {
    let served = testing::serve(model("double"), times(2.0))?;
    served.triton().bind(model("triple"), times(3.0))?;
    assert_eq!(infer(served.http(), "triple", &[&[1.0]])?, json!([3.0]));
    served.triton().unbind("double", 1)?;
    served.triton().stop()?;
    drop(served);
    Ok(())
}

#[test]
fn call_stops_a_server_that_waits_for_a_signal() -> Result<()> {
    let triton = triton(Engine::Embedded)?;
    triton.bind(model("double"), times(2.0))?;
    thread::scope(|scope| {
        let serving = scope.spawn(|| triton.serve());
        let begun = Instant::now();
        while !triton.is_alive() {
            assert!(begun.elapsed() < DEADLINE);
            thread::sleep(Duration::from_millis(1));
        }
        let at = triton
            .addresses()
            .and_then(|addresses| addresses.http())
            .ok_or("no HTTP")?;
        assert_eq!(infer(at, "double", &[&[1.0]])?, json!([2.0]));
        triton.stop()?;
        serving.join().map_err(|_| "it panicked")??;
        Ok(())
    })
}

#[test]
fn failed_start_is_an_error() -> Result<()> {
    let first = testing::serve(model("double"), times(2.0))?;
    let taken = first.http().port();
    let second = builder(Engine::Embedded)?
        .options(move |options| options.http_port = taken)
        .build()?;
    let error = second.run().unwrap_err().to_string();
    assert!(error.contains("for http (option --http-port)"), "{error}");
    assert!(!second.is_alive());
    second.stop()?;
    let wrong = builder(Engine::Embedded)?
        .arguments(["--http-port=many"])
        .build();
    let error = wrong.unwrap_err().to_string();
    assert!(
        error.contains("invalid value 'many' for '--http-port <PORT>'"),
        "{error}"
    );
    Ok(())
}

/// Returns the number of threads whose name has this prefix.
fn threads(name: &str) -> Result<usize> {
    let threads = fs::read_dir("/proc/self/task")?;
    let names = threads.map(|thread| fs::read_to_string(thread?.path().join("comm")));
    // The name of a thread that has ended cannot be read.
    let names = names.filter_map(io::Result::ok);
    Ok(names.filter(|own| own.starts_with(name)).count())
}

#[test]
fn port_in_use_leaves_no_threads() -> Result<()> {
    let first = testing::serve(model("portly"), times(2.0))?;
    let taken = first.http().port();
    for protocol in ["http", "grpc", "metrics"] {
        let wanting = builder(Engine::Embedded)?.options(move |options| match protocol {
            "http" => options.http_port = taken,
            "grpc" => options.grpc_port = taken,
            _ => options.metrics_port = taken,
        });
        let wanting = wanting.build()?;
        for number in 0..4 {
            wanting.bind(model(&format!("unported{number}")), times(2.0))?;
        }
        for _ in 0..3 {
            let error = wanting.run().unwrap_err().to_string();
            let option = format!("for {protocol} (option --{protocol}-port)");
            assert!(error.contains(&option), "{error}");
            let begun = Instant::now();
            while threads("unported")? > 0 {
                assert!(begun.elapsed() < DEADLINE);
                thread::yield_now();
            }
        }
    }
    assert_eq!(threads("portly")?, 1);
    Ok(())
}
