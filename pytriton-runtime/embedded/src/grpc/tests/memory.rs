//! The memory of the process, measured in a separate process.

use std::env;
use std::fs;
use std::process::Command;

use http_body_util::BodyExt;
use ndarray::Array2;
use pytriton_core::call::{Call, Execution, Instance, executed, iterate};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::testing::GATE;

use super::limits::{compressed, prefix, send, status_within};
use super::slow::{framed, pieces};
use super::*;

const MIB: usize = 1 << 20;

/// Set in the measured process.
const MEASURED: &str = "PYTRITON_TEST_MEASURED";

/// The memory of tests and the allocator.
const OTHER: usize = 64 * MIB;

/// The time limit for concurrent calls that need processor time, which other processes may use
/// too. It only detects calls that never end.
const CALL_LIMIT: Duration = Duration::from_secs(300);

/// Returns a value of this process from `/proc/self/status`, in bytes.
fn figure(name: &str) -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kibibytes = line.unwrap().split_whitespace().nth(1).unwrap();
    kibibytes.parse::<usize>().unwrap() << 10
}

/// Encodes a field of bytes, a string or a message.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut field = vec![number << 3 | 2];
    prost::encoding::encode_varint(bytes.len() as u64, &mut field);
    [field, bytes.to_vec()].concat()
}

/// Runs a test in a separate process.
fn measured(test: &str, measure: impl Future<Output = ()>) {
    if env::var_os(MEASURED).is_some() {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(2).enable_all().build().unwrap();
        return runtime.block_on(measure);
    }
    let name = format!("{}::{test}", module_path!().split_once("::").unwrap().1);
    let output = Command::new(env::current_exe().unwrap())
        .args([&name, "--exact", "--nocapture"])
        .env(MEASURED, "1")
        // Otherwise, every thread may use 64 MiB of address space for its allocations.
        .env("MALLOC_ARENA_MAX", "1")
        .output()
        .unwrap();
    let (out, error) = (output.stdout, output.stderr);
    let text = String::from_utf8_lossy(&out) + String::from_utf8_lossy(&error);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}"
    );
}

#[test]
fn maps_that_compress_well_stay_within_the_budget() {
    measured("maps_that_compress_well_stay_within_the_budget", async {
        const BUDGET: usize = 16 * MIB;
        let limits = Limits {
            max_bytes_in_flight: BUDGET,
            ..Limits::default()
        };
        let app_state = app_state(&[&IDENTITY], limits).await;
        let router = routes(app_state.clone());
        // An empty value takes two bytes, and 24 when decoded. An entry takes more.
        let values = field(1, &field(2, &[0x0a, 0].repeat(30 * MIB)));
        let entry = |key: u32| field(3, &field(1, &key.to_le_bytes().map(|byte| byte & 0x7f)));
        let entries: Vec<u8> = (0..500_000).flat_map(entry).collect();
        let bombs = [
            ("TraceSetting", &values),
            ("RepositoryModelLoad", &entries),
            ("RepositoryModelLoad", &[0x1a, 0].repeat(30 * MIB)),
        ];
        let bombs = bombs.map(|(method, bomb)| {
            let path = format!("/inference.GRPCInferenceService/{method}");
            (path, compressed(bomb))
        });
        drop((values, entries));
        // Resets the peak.
        fs::write("/proc/self/clear_refs", "5").unwrap();
        let before = figure("VmHWM");
        let mut calls = JoinSet::new();
        for number in 0..24 {
            let (path, bomb) = bombs[number % bombs.len()].clone();
            let router = router.clone();
            calls.spawn(async move { status_within(CALL_LIMIT, &router, &path, bomb).await });
        }
        for (code, text) in calls.join_all().await {
            assert!(["3", "8"].contains(&code.as_str()), "{code} {text}");
        }
        let peak = figure("VmHWM") - before;
        println!("{peak} bytes more at the peak");
        assert!(peak < 2 * BUDGET + OTHER, "{peak}");
    });
}

#[test]
fn announced_lengths_are_not_allocated() {
    measured("announced_lengths_are_not_allocated", async {
        let app_state = app_state(&[&IDENTITY], Limits::default()).await;
        let router = routes(app_state.clone());
        let before = figure("VmSize");
        let mut calls = JoinSet::new();
        for number in 0..200 {
            let method = ["ModelInfer", "ModelStreamInfer", "RepositoryModelLoad"][number % 3];
            let path = format!("/inference.GRPCInferenceService/{method}");
            let router = router.clone();
            let prefix = prefix(u8::from(number % 2 == 0), 60 * MIB);
            let body = pieces(vec![(0, [&prefix[..], &[0]].concat())]);
            calls.spawn(async move {
                let response = send(&router, &path, body).await;
                response.into_body().collect().await
            });
        }
        // All have announced their messages, and wait for them. Those that are compressed or loads
        // have a first buffer.
        let buffers = 100 + 33;
        until(|| app_state.models.budget().reserved() == buffers * (256 << 10)).await;
        let more = figure("VmSize").saturating_sub(before);
        assert!(more < OTHER, "{more}");
    });
}

/// Sends many responses once the test opens [`GATE`]. Each is too small to be counted alone, and all
/// of them fit in the channel of their request.
struct ManySmall;

impl Instance for ManySmall {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        drop(GATE.blocking_lock());
        let items = (0..15).map(|_| Array2::<f32>::zeros((1, 975)));
        executed(iterate(call, items, |item| call.outputs(item)))
    }
}

#[test]
fn unread_small_responses_stay_within_the_budget() {
    measured("unread_small_responses_stay_within_the_budget", async {
        const BUDGET: usize = 16 * MIB;
        const STREAMS: usize = 16;
        // The maximum number of requests of a stream in progress.
        const REQUESTS: usize = 1024;
        let model = ModelDeclaration {
            decoupled: true,
            options: ModelOptions {
                max_batch_size: 1,
                ..IDENTITY.options
            },
            load: |_| Ok(Box::new(ManySmall)),
            ..IDENTITY
        };
        let limits = Limits {
            max_bytes_in_flight: BUDGET,
            max_queue_size: STREAMS * REQUESTS,
            ..Limits::default()
        };
        let app_state = app_state(&[&model], limits).await;
        let router = routes(app_state.clone());
        let path = "/inference.GRPCInferenceService/ModelStreamInfer";
        let requests = framed(&message("1", &[1.0])).repeat(REQUESTS);
        let before = figure("VmHWM");
        let gate = GATE.lock().await;
        let mut calls = JoinSet::new();
        for _ in 0..STREAMS {
            let response = send(&router, path, pieces(vec![(0, requests.clone())])).await;
            let mut body = response.into_body();
            calls.spawn(async move {
                // Nothing is read after the first responses. If the budget is exhausted, the model
                // waits for a client that never reads, and this stream has no response.
                let _first = timeout(Duration::from_secs(3), body.frame()).await;
                body
            });
        }
        // All requests are read before the first of them is executed.
        sleep(Duration::from_secs(1)).await;
        drop(gate);
        let _unread = calls.join_all().await;
        // The model executes all requests that were read.
        let mut last = 0;
        while figure("VmRSS") > last {
            last = figure("VmRSS");
            sleep(Duration::from_millis(500)).await;
        }
        let peak = figure("VmHWM") - before;
        println!("{peak} bytes more at the peak");
        assert!(peak < 2 * BUDGET + OTHER, "{peak}");
    });
}
