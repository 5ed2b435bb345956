//! Spans that are exported to a collector, and spans that it does not accept.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use pytriton_tests::{Engine, Result, Server, finish};

use crate::{MODELS, python};

/// A collector that ends with the test.
struct Collector {
    child: Child,
    endpoint: String,
}

impl Collector {
    fn start(arguments: &[&str]) -> Result<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
        let mut command = python()?.command();
        command
            .arg("collector.py")
            .args(arguments)
            .current_dir(folder);
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let mut port = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut port)?;
        }
        let endpoint = format!("http://127.0.0.1:{}", port.trim());
        Ok(Self { child, endpoint })
    }

    /// Starts a server that sends Triton's traces to the collector.
    fn trace(&self, engine: Engine) -> Result<Server> {
        let url = format!("opentelemetry,url={}/v1/traces", self.endpoint);
        let settings = [
            "mode=opentelemetry",
            &url,
            "opentelemetry,resource=deployment.environment=a=test",
            "opentelemetry,bsp_schedule_delay=50",
            "level=TIMESTAMPS",
            "rate=1",
        ];
        let settings = settings.map(|setting| format!("--trace-config={setting}"));
        let settings = settings.each_ref().map(String::as_str);
        Server::start_with(engine, crate::folder(), MODELS, &settings)
    }

    /// Starts a server that sends spans to the collector.
    fn serve(&self, engine: Engine, arguments: &[&str], queue: &str) -> Result<Server> {
        let mut command = engine.command(MODELS.as_ref(), crate::folder())?;
        command
            .args([
                "--http-port=0",
                "--grpc-port=0",
                "--metrics-port=0",
                "--openai-port=0",
                "--docs-port=0",
            ])
            .args(["--traces-exporter=otlp", "--log-format=json"])
            .args(arguments)
            .env("OTEL_EXPORTER_OTLP_ENDPOINT", &self.endpoint)
            .env("OTEL_SERVICE_NAME", "tests")
            .env("OTEL_BSP_SCHEDULE_DELAY", "50")
            .env("OTEL_BSP_EXPORT_TIMEOUT", "60000")
            .env("OTEL_BSP_MAX_QUEUE_SIZE", queue);
        let mut server = Server::spawn(&mut command)?;
        server.set_engine(engine);
        Ok(server)
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        // The collector may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn spans_are_exported_to_a_collector() -> Result<()> {
    let collector = Collector::start(&[])?;
    let server = collector.serve(Engine::Embedded, &[], "2048")?;
    python()?.test("test_traces.py", &server)
}

#[test]
fn function_spans_are_exported_with_tritonserver() -> Result<()> {
    let collector = Collector::start(&[])?;
    let forward = [
        "--http-header-forward-pattern=trace(parent|state)",
        "--grpc-header-forward-pattern=trace(parent|state)",
    ];
    let server = collector.serve(Engine::Tritonserver, &forward, "2048")?;
    python()?.test("test_traces.py", &server)
}

#[test]
fn traces_are_exported_to_a_collector() -> Result<()> {
    let collector = Collector::start(&[])?;
    let server = collector.trace(Engine::Embedded)?;
    python()?.test("test_trace_collector.py", &server)
}

#[test]
fn traces_of_tritonserver_are_exported_to_a_collector() -> Result<()> {
    let collector = Collector::start(&[])?;
    let server = collector.trace(Engine::Tritonserver)?;
    python()?.test("test_trace_collector.py", &server)
}

#[test]
fn unresponsive_collector_does_not_delay_requests() -> Result<()> {
    let collector = Collector::start(&["slow"])?;
    let server = collector.serve(Engine::Embedded, &[], "16")?;
    let banner = server.banner();
    let url = format!("http://{}/v2/models/SeenAtOnce/infer", banner.http);
    let body = r#"{"inputs":[{"name":"x","datatype":"FP32","shape":[1,1],"data":[1]}]}"#;
    let urls = vec![url.as_str(); 50];
    let mut curl = Command::new("curl");
    curl.args(["--silent", "--fail", "--output", "/dev/null", "-d", body]);
    let begun = Instant::now();
    finish(curl.args(urls), Duration::from_secs(20))?.success("curl")?;
    assert!(begun.elapsed() < Duration::from_secs(5));
    let mut curl = Command::new("curl");
    curl.args(["--silent", &format!("http://{}/metrics", banner.metrics)]);
    let metrics = finish(&mut curl, Duration::from_secs(5))?.success("curl")?;
    let lost = metrics
        .lines()
        .find_map(|line| line.strip_prefix("pytriton_spans_dropped_total "));
    let lost: u64 = lost.and_then(|lost| lost.parse().ok()).unwrap_or_default();
    // Each request has five spans, in addition to those of the user.
    assert!(lost > 100, "{metrics}");
    server.signal("TERM")?;
    let (status, log) = server.wait(Duration::from_secs(15))?;
    assert!(status.success(), "{status}: {log}");
    Ok(())
}
