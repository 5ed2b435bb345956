//! The dashboard and the alert rules of `deploy/observability`.

use pytriton_tests::{Engine, Result, Server};

use crate::command_line::FREE_PORTS;
use crate::tls::certificates;
use crate::{MODELS, folder, python};

const CALLS: &str = env!("CARGO_BIN_EXE_own_routes");

/// Runs Python tests with a server that exports every metric, except for those of calls between
/// models, which a second server exports.
fn observed(file: &str) -> Result<()> {
    let files = certificates()?;
    let path = |name| files.path().join(name);
    let mut command = Engine::Embedded.command(MODELS.as_ref(), folder())?;
    command
        .args(FREE_PORTS)
        .args(["--openai-port=0", "--http-use-ssl=true"])
        .args([
            "--traces-exporter=otlp",
            "--metrics-config=histogram_latencies=true",
        ])
        .arg("--http-server-cert")
        .arg(path("server.pem"))
        .arg("--http-server-key")
        .arg(path("server.key"));
    // Without a collector there.
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9");
    let server = Server::spawn_with(Engine::Embedded, &mut command)?.with_folder(files);
    let calls = Server::start(CALLS, &["--engine=embedded"])?;
    let addresses = format!("{},{}", calls.banner().http, calls.banner().metrics);
    python()?.test_with(file, &server, &[("PYTRITON_TEST_CALLS", &addresses)])
}

#[test]
fn dashboard_and_alerts_use_exported_metrics() -> Result<()> {
    observed("test_observability.py")
}

#[test]
#[ignore = "needs Prometheus of Debian: a command of its own, which `.ci/run` has"]
fn prometheus_evaluates_the_dashboard_and_the_alerts() -> Result<()> {
    observed("test_prometheus.py")
}
