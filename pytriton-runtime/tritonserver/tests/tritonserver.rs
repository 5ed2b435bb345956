//! Tests with the real tritonserver, which `install` downloads.

#![cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    target_pointer_width = "64"
))]
#![expect(clippy::unwrap_used, reason = "a helper of tests fails as a test does")]

use std::fs;
use std::future::pending;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, FromArgMatches};
use pytriton_engine::Arguments;
use pytriton_engine::access::{Access, AccessOptions, Follow};
use pytriton_engine::options::ControlOptions;
use pytriton_tritonserver::triton::process::Workspace;
use pytriton_tritonserver::triton::{
    Endpoints, Flags, Launch, LaunchError, Probe, Tritonserver, install, version,
};
use tokio::time::{Instant, timeout};

/// The tritonserver installation shared by the tests of all crates.
const INSTALLED: &str = concat!(
    env!("CARGO_TARGET_TMPDIR"),
    "/cache/pytriton/tritonserver/2.51.0"
);

const SHORT_TIMEOUT: Duration = Duration::from_secs(1);
const READY: Duration = Duration::from_secs(20);

/// The setup with which the tests start the server.
struct Setup {
    binary: PathBuf,
    probe: Probe,
    folder: tempfile::TempDir,
    access: Arc<Access>,
    flags: Flags,
    ready_timeout_secs: u64,
}

impl Setup {
    fn new(arguments: &[&str]) -> Self {
        let installed = install::install_to(Path::new(INSTALLED)).unwrap();
        let binary = installed.folder.join("bin/tritonserver");
        let command =
            Arguments::<Flags>::augment_args(clap::Command::new("test").no_binary_name(true));
        let matches = command.get_matches_from(arguments);
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("a b/models")).unwrap();
        fs::create_dir_all(folder.path().join("a b/backends")).unwrap();
        Self {
            probe: Probe::new(&binary).unwrap(),
            binary,
            folder,
            access: Arc::default(),
            flags: Arguments::from_arg_matches(&matches).unwrap().0,
            ready_timeout_secs: 600,
        }
    }

    async fn start_at(&self, endpoints: Endpoints) -> Result<Tritonserver, LaunchError> {
        let root = self.folder.path().join("a b");
        let launch = Launch {
            endpoints,
            http_header_forward_pattern: "a b".to_owned(),
            grpc_header_forward_pattern: String::new(),
            exit_timeout_secs: 3,
            ready_timeout_secs: self.ready_timeout_secs,
            log_verbose: 0,
            max_request_bytes: 64 << 20,
            repository: root.join("models"),
            backends: root.join("backends"),
            caches: None,
            response_cache: false,
            access: Arc::clone(&self.access),
            control: ControlOptions::default(),
            flags: self.flags.clone(),
        };
        let start = Tritonserver::start(&self.binary, &self.probe.flags, &launch, &[], pending());
        timeout(READY, start).await.unwrap()
    }

    async fn start(&self) -> Result<Tritonserver, LaunchError> {
        let any = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
        self.start_at(Endpoints {
            http: any,
            grpc: any,
            metrics: any,
        })
        .await
    }
}

fn get(address: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    // In one write: tritonserver's HTTP library cannot handle a request line in several pieces.
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[tokio::test]
async fn server_responds_on_free_ports_and_stops_cleanly() {
    let setup = Setup::new(&["--id=my server"]);
    let server = setup.start().await.unwrap();
    let Endpoints {
        http,
        grpc,
        metrics,
    } = *server.endpoints();
    assert!(get(http.unwrap(), "/v2").contains("\"name\":\"my server\",\"version\":\"2.51.0\""));
    assert!(get(metrics.unwrap(), "/metrics").starts_with("HTTP/1.1 200"));
    assert!(TcpStream::connect(grpc.unwrap()).is_ok());
    assert_eq!(server.version(), "2.51.0".parse().ok());
    assert_eq!(server.exposure(&setup.flags), None);
    let exit = timeout(READY, server.stop(READY)).await.unwrap();
    assert!(exit.success(), "{exit}");
    assert!(TcpStream::connect(http.unwrap()).is_err());
}

#[tokio::test]
async fn early_exit_is_reported_with_its_output() {
    let setup = Setup::new(&[]);
    let model = setup.folder.path().join("a b/models/Broken");
    fs::create_dir_all(model.join("1")).unwrap();
    fs::write(
        model.join("config.pbtxt"),
        "backend: \"none\" max_batch_size: -1",
    )
    .unwrap();
    let begun = Instant::now();
    let error = setup.start().await.unwrap_err().to_string();
    assert!(
        error.contains("exited with code 1") && error.contains("Broken"),
        "{error}"
    );
    assert!(begun.elapsed() < SHORT_TIMEOUT * 2, "{:?}", begun.elapsed());
}

#[tokio::test]
async fn port_in_use_is_reported_before_the_start() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let http = Some(taken.local_addr().unwrap());
    let error = Setup::new(&[])
        .start_at(Endpoints {
            http,
            ..Endpoints::default()
        })
        .await;
    assert!(matches!(error, Err(LaunchError::Port(_))));
}

#[tokio::test]
async fn ipv6_is_served() {
    let any = Some("[::1]:0".parse().unwrap());
    let endpoints = Endpoints {
        http: any,
        grpc: any,
        metrics: any,
    };
    let server = Setup::new(&[]).start_at(endpoints).await.unwrap();
    let answer = get(server.endpoints().http.unwrap(), "/v2/health/live");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[tokio::test]
async fn server_with_only_grpc_becomes_ready() {
    let any = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
    let endpoints = Endpoints {
        grpc: any,
        ..Endpoints::default()
    };
    let server = Setup::new(&[]).start_at(endpoints).await.unwrap();
    assert!(TcpStream::connect(server.endpoints().grpc.unwrap()).is_ok());
}

#[tokio::test]
async fn secrets_require_our_library() {
    let command = clap::Command::new("test").no_binary_name(true);
    let command = Arguments::<AccessOptions>::augment_args(command);
    let matches = command.get_matches_from(["--restricted-endpoints="]);
    let Arguments(options) = Arguments::from_arg_matches(&matches).unwrap();
    let mut setup = Setup::new(&["--http-restricted-api=health:token=secret"]);
    setup.access = Access::new(&options, &setup.flags, Follow::Log)
        .unwrap()
        .into();
    let refused = setup.start().await.unwrap_err();
    let message = refused.to_string();
    assert!(message.contains(" --http-restricted-api "), "{message}");
    assert!(message.contains("--restricted-endpoints="), "{message}");
    let setup = Setup::new(&["--cache-config=redis,host=x"]);
    let message = setup.start().await.unwrap_err().to_string();
    assert!(message.contains(" --cache-config "), "{message}");
    assert!(!message.contains("--restricted-endpoints="), "{message}");
}

/// Starts a script in place of tritonserver, which must fail. Returns the error.
async fn fail(script: &str, ready_timeout_secs: u64) -> LaunchError {
    let mut setup = Setup::new(&[]);
    let id = setup.folder.path().join("id");
    let text = format!("#!/bin/sh\necho $$ > '{}'\n{script}\n", id.display());
    setup.binary = setup.folder.path().join("script");
    fs::write(&setup.binary, text).unwrap();
    fs::set_permissions(&setup.binary, fs::Permissions::from_mode(0o755)).unwrap();
    setup.ready_timeout_secs = ready_timeout_secs;
    let error = setup.start().await.unwrap_err();
    let id = fs::read_to_string(id).unwrap();
    assert!(!Path::new("/proc").join(id.trim()).exists(), "{error}");
    error
}

#[tokio::test]
async fn failed_start_leaves_no_process() {
    for _ in 0..5 {
        let error = fail("echo 'Too many open files' >&2; exec sleep 300", 600).await;
        assert!(matches!(error, LaunchError::Descriptors(_)), "{error}");
    }
    let error = fail("exec sleep 300", 5).await;
    assert!(matches!(error, LaunchError::StartupTimeout(_)), "{error}");
}

#[tokio::test]
async fn crash_is_detected_within_a_second() {
    let server = Setup::new(&[]).start().await.unwrap();
    let id = server.id().unwrap().to_string();
    let begun = Instant::now();
    assert!(
        Command::new("sh")
            .args(["-c", &format!("kill -9 {id}")])
            .status()
            .unwrap()
            .success()
    );
    let exit = timeout(SHORT_TIMEOUT, server.exited()).await.unwrap();
    assert!(exit.to_string().contains("SIGKILL"), "{exit}");
    assert!(begun.elapsed() < SHORT_TIMEOUT / 2, "{:?}", begun.elapsed());
    assert!(!Path::new("/proc").join(id).exists());
}

#[tokio::test]
async fn hundred_starts_leave_nothing_behind() {
    let count = |what: &str| fs::read_dir(format!("/proc/self/{what}")).unwrap().count();
    let setup = Setup::new(&["--allow-gpu-metrics=false"]);
    let workspaces = setup.folder.path().join("workspaces");
    let round = async || {
        let workspace = Workspace::create(&workspaces).unwrap();
        let server = setup.start().await.unwrap();
        drop(server);
        drop(workspace);
    };
    round().await;
    let (threads, files) = (count("task"), count("fd"));
    for _ in 0..100 {
        round().await;
    }
    // Other tests of this process use threads and files too. Allow for those, but not for a hundred
    // of ours.
    assert!(count("task") < threads + 40 && count("fd") < files + 40);
    let left: Vec<_> = fs::read_dir(workspaces)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["lock"]);
}

#[test]
fn installed_server_reports_its_version() {
    let setup = Setup::new(&[]);
    assert_eq!(version(&setup.binary).unwrap(), "2.51.0".parse().ok());
    assert!(setup.probe.flags.len() > 70);
    let licences = setup.binary.parent().unwrap().join("../licenses/LICENSE");
    assert!(fs::metadata(licences).unwrap().len() > 1000);
}
