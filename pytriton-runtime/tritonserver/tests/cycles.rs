//! A hundred starts and stops of the tritonserver engine in one process must not leak resources.
//! There is no other test in this process.

#![cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    target_pointer_width = "64"
))]
#![expect(clippy::unwrap_used, reason = "a helper of tests fails as a test does")]

mod identity;

use std::fs;
use std::future::pending;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pytriton_core::model::InstanceGroup;
use pytriton_core::registry::{ModelDeclaration, ModelOptions, Registry};
use pytriton_engine::options::ControlOptions;
use pytriton_tritonserver::triton::{
    Endpoints, Flags, Found, Launch, Located, OwnConnections, Probe, TritonEngine, install,
};
use tokio::time::{Instant, timeout};

use identity::IDENTITY;

const CYCLES: usize = 100;
const DEADLINE: Duration = Duration::from_secs(20);

/// How much more memory the allocator may keep after a hundred rounds than after ten, in KiB.
const MEMORY: u64 = 8 << 10;

/// The tritonserver installation shared by the tests of all crates.
const INSTALLED: &str = concat!(
    env!("CARGO_TARGET_TMPDIR"),
    "/cache/pytriton/tritonserver/2.51.0"
);

fn launch() -> Launch {
    Launch {
        endpoints: Endpoints {
            http: Some(SocketAddr::from(([127, 0, 0, 1], 0))),
            ..Endpoints::default()
        },
        http_header_forward_pattern: String::new(),
        grpc_header_forward_pattern: String::new(),
        exit_timeout_secs: 5,
        ready_timeout_secs: 600,
        log_verbose: 0,
        max_request_bytes: 64 << 20,
        repository: PathBuf::new(),
        backends: PathBuf::new(),
        caches: None,
        response_cache: false,
        access: Arc::default(),
        control: ControlOptions::default(),
        flags: Flags::default(),
    }
}

fn infer(address: SocketAddr) -> String {
    let body = r#"{"inputs":[{"name":"INPUT_1","datatype":"FP32","shape":[1,2],"data":[3,5]}]}"#;
    let request = format!(
        "POST /v2/models/Identity/infer HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// The resources of this process.
#[derive(Debug, PartialEq, Eq)]
struct Resources {
    descriptors: usize,
    threads: usize,
    mappings: usize,
    children: usize,
}

impl Resources {
    fn now() -> Self {
        let entries = |what: &str| fs::read_dir(format!("/proc/self/{what}")).unwrap();
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        let shared = maps.lines().filter(|line| line.contains("memfd:"));
        let children = entries("task").map(|task| {
            let children = task.unwrap().path().join("children");
            let children = fs::read_to_string(children).unwrap_or_default();
            children.split_whitespace().count()
        });
        Self {
            descriptors: entries("fd").count(),
            threads: entries("task").count(),
            mappings: shared.count(),
            children: children.sum(),
        }
    }
}

fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number.unwrap().parse().unwrap()
}

#[test]
fn hundred_starts_and_stops_do_not_leak() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let installed = install::install_to(Path::new(INSTALLED)).unwrap();
        let located = Located {
            binary: installed.folder.join("bin/tritonserver"),
            found: Found::Cache,
        };
        let probe = Probe::new(&located.binary).unwrap();
        const TWO: ModelDeclaration = ModelDeclaration {
            options: ModelOptions {
                instances: &[InstanceGroup::cpu(2)],
                ..IDENTITY.options
            },
            ..IDENTITY
        };
        let registry = Registry::new(&[&TWO]).unwrap();
        let cycle = async || {
            let start =
                TritonEngine::start(&registry, &located, probe.clone(), launch(), pending());
            let engine = timeout(DEADLINE, start).await.unwrap().unwrap();
            let answer = infer(engine.endpoints().http.unwrap());
            assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
            let deadline = Instant::now() + Duration::from_secs(5);
            let stopping = engine.stop(deadline, OwnConnections::default());
            let stopped = timeout(DEADLINE, stopping).await.unwrap();
            assert!(stopped.exit.success(), "{stopped:?}");
        };
        for _ in 0..10 {
            cycle().await;
        }
        let (held, memory) = (settled(None).await, resident());
        for _ in 10..CYCLES {
            cycle().await;
        }
        assert_eq!(settled(Some(&held)).await, held);
        assert!(
            resident() < memory + MEMORY,
            "{memory} KiB, {} KiB",
            resident()
        );
    });
}

/// Returns the resources after the ending threads are gone.
async fn settled(expected: Option<&Resources>) -> Resources {
    let mut last = Resources::now();
    for _ in 0..40 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let now = Resources::now();
        let done = expected.is_none_or(|expected| *expected == now);
        if done && now == last {
            break;
        }
        last = now;
    }
    last
}
