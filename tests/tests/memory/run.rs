use std::env;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use pytriton_tests::{Result, Server, released};
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use tempfile::TempDir;

use crate::bodies::{LARGE_BODY, TRACED};
use crate::connections::{IdleConnections, costly_connections};
use crate::costly::{Costly, GRPC};
use crate::http;
use crate::load::{Load, Tally};
use crate::ordinary::{Ordinary, Served};
use crate::probe::{Probed, Probes};
use crate::region::Region;
use crate::requests::all;
use crate::sizes::Sizes;
use crate::tensor_requests::CACHE_BYTES;
use crate::watches::watch_bytes;

/// The default duration of the test; `PYTRITON_MEMORY_SECONDS` overrides it.
const SECONDS: u64 = 10;

/// The memory budget of the server in bytes.
const BUDGET: u64 = 64 << 20;

/// The additional address space of the server, on top of what it has when idle.
const ADDRESS_SPACE: u64 = 512 << 20;

const CLIENTS: usize = 64;

/// How long connections of one kind are opened in a loop.
const SECONDS_PER_KIND: u64 = 3;

/// The bytes that an HTTP/2 connection reserves for each stream in its receive window.
const STREAM_BYTES: u64 = 8 << 10;

/// The timeout for the server to exit.
const EXIT: Duration = Duration::from_secs(20);

/// Keeps the tests apart, as each needs the machine.
static ALONE: Mutex<()> = Mutex::new(());

fn duration() -> Duration {
    let seconds = env::var("PYTRITON_MEMORY_SECONDS").ok();
    let seconds = seconds.and_then(|seconds| seconds.parse().ok());
    Duration::from_secs(seconds.unwrap_or(SECONDS))
}

/// Returns the requests that `PYTRITON_MEMORY_KINDS` selects, or all.
fn kinds(all: Vec<Costly>) -> Vec<Costly> {
    let named = env::var("PYTRITON_MEMORY_KINDS").unwrap_or_default();
    let names: Vec<_> = named.split(',').filter(|name| !name.is_empty()).collect();
    let is_named = |costly: &Costly| names.is_empty() || names.contains(&costly.name);
    all.into_iter().filter(is_named).collect()
}

/// Starts a server that writes its traces to a folder.
fn start(traces: &TempDir) -> Result<Server> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let mut command = Command::new(released("embedded_models", folder)?);
    let traces = traces.path().join("traces");
    command
        .arg(format!("--trace-config=triton,file={}", traces.display()))
        .args(["--trace-config=level=OFF", "--trace-config=rate=1"])
        .arg(format!("--cache-config=local,size={CACHE_BYTES}"))
        .args(["--http-port=0", "--grpc-port=0", "--metrics-port=0"])
        .args(["--model-control-mode=explicit", "--load-model=*"])
        .arg(format!("--max-bytes-in-flight={BUDGET}"))
        .env("RUST_LOG", "error");
    Server::spawn(&mut command)
}

/// Traces all requests of one model with their tensors.
fn trace(address: &str) -> Result<()> {
    let path = format!("/v2/models/{TRACED}/trace/setting");
    let answer = http::post(address, &path, "X: x", br#"{"trace_level":["TENSORS"]}"#)?;
    assert_eq!(answer.status, 200, "{answer:?}");
    Ok(())
}

/// Limits the address space of a server to its current size plus [`ADDRESS_SPACE`]. Returns the
/// current sizes.
fn limit_address_space(server: &Server) -> Result<Sizes> {
    let rest = Sizes::of(server);
    let limit = Some(rest.address_space + ADDRESS_SPACE);
    let limits = Rlimit {
        current: limit,
        maximum: limit,
    };
    let pid = i32::try_from(server.pid()).ok().and_then(Pid::from_raw);
    prlimit(pid, Resource::As, limits).map_err(std::io::Error::from)?;
    Ok(rest)
}

#[test]
fn most_expensive_requests_of_many_clients_stay_within_the_budget() -> Result<()> {
    let _alone = ALONE.lock();
    let traces = TempDir::new()?;
    let server = start(&traces)?;
    let banner = server.banner();
    trace(&banner.http)?;
    let region = Region::register(&banner.http, LARGE_BODY as u64)?;
    let requests = Arc::new(kinds(all(region.name())));
    let rest = limit_address_space(&server)?;
    let watch = watch_bytes(&server)?;
    let probes = Probes::start(&server);
    let ordinary = Ordinary::start(banner);
    let load = Load::start(CLIENTS, &requests, banner);
    thread::sleep(duration());
    let served = ordinary.stop();
    let probed = probes.stop();
    let tally = load.stop();
    let after = Sizes::of(&server);
    drop(region);

    print(&tally);
    for probed in &probed {
        println!("{probed}");
    }
    println!("rest:  {rest}\nafter: {after}");
    println!("{} right, longest {:?}", served.right, served.longest);

    let log = server.log()?;
    let begun = Instant::now();
    server.signal("TERM")?;
    let (status, _) = server.wait(EXIT)?;
    println!("{status} after {:?}", begun.elapsed());

    println!("{watch} bytes for each health watch");
    assert!(watch <= STREAM_BYTES, "{watch} bytes for each health watch");
    check_statuses(&tally);
    assert_eq!(status.code(), Some(0), "{log}");
    assert!(!log.contains("panicked"), "{log}");
    check_served(&served, &probed);
    check_peak(rest, after);
    Ok(())
}

#[test]
fn idle_and_costly_connections_stay_within_the_budget() -> Result<()> {
    let _alone = ALONE.lock();
    let traces = TempDir::new()?;
    let server = start(&traces)?;
    let banner = server.banner();
    let rest = limit_address_space(&server)?;
    let idle = IdleConnections::open(banner)?;
    println!("with idle connections: {}", Sizes::of(&server));
    let probes = Probes::start(&server);
    let ordinary = Ordinary::start(banner);
    for costly in kinds(costly_connections()) {
        let load = Load::start(CLIENTS, &Arc::new(vec![costly]), banner);
        thread::sleep(Duration::from_secs(SECONDS_PER_KIND));
        print(&load.stop());
        println!("{}", Sizes::of(&server));
    }
    let served = ordinary.stop();
    let probed = probes.stop();
    let after = Sizes::of(&server);
    drop(idle);
    let log = server.log()?;
    server.signal("TERM")?;
    let (status, _) = server.wait(EXIT)?;
    assert_eq!(status.code(), Some(0), "{log}");
    assert!(!log.contains("panicked"), "{log}");
    check_served(&served, &probed);
    check_peak(rest, after);
    Ok(())
}

/// Checks that other clients were served.
fn check_served(served: &Served, probed: &[Probed]) {
    assert!(served.wrong.is_empty() && served.right > 0, "{served:?}");
    for probed in probed {
        assert!(probed.errors.is_empty(), "{probed}: {:?}", probed.errors);
    }
}

/// Checks the peak memory against that of the idle server.
fn check_peak(rest: Sizes, after: Sizes) {
    let most = rest.resident + 2 * BUDGET;
    assert!(after.peak_resident <= most, "{after}, at rest {rest}");
}

/// Checks that each request was served, rejected as invalid, or refused, and that the server
/// reported no internal errors.
fn check_statuses(tally: &Tally) {
    // OK, INVALID_ARGUMENT and RESOURCE_EXHAUSTED.
    const GRPC_STATUSES: [&str; 3] = ["0", "3", "8"];
    const HTTP_STATUSES: [&str; 4] = ["200", "400", "413", "503"];
    let (mut calls, mut requests) = (0, 0);
    for (name, came) in tally {
        for (what, count) in came {
            if let Some(status) = what.strip_prefix(GRPC) {
                // INTERNAL is Triton's status for a configuration that cannot be loaded.
                let is_load = status == "13" && name.ends_with("load");
                let is_right = is_load || GRPC_STATUSES.contains(&status);
                assert!(is_right, "{name}: {what}");
                calls += count;
            } else if what.parse::<u16>().is_ok() {
                assert!(HTTP_STATUSES.contains(&what.as_str()), "{name}: {what}");
                requests += count;
            }
        }
    }
    let named = env::var_os("PYTRITON_MEMORY_KINDS").is_some();
    assert!(named || calls > 0 && requests > 0, "{tally:?}");
}

fn print(tally: &Tally) {
    for (name, came) in tally {
        println!("{name}: {came:?}");
    }
}
