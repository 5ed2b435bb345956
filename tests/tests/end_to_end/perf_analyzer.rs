//! NVIDIA's perf_analyzer with streams, whose responses it counts, and with tensors in shared
//! memory.

use pytriton_tests::{Engine, PerfAnalyzer, Result, Server};

const REQUESTS: u32 = 100;

/// The exit code of perf_analyzer if a response is an error.
const FAILED: i32 = 99;

/// Returns a rate from the report: responses or requests per second.
fn rate(report: &str, label: &str) -> f64 {
    let line = report
        .lines()
        .find_map(|line| line.trim().strip_prefix(label));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.unwrap_or_else(|| panic!("no {label} in {report}"))
}

fn measure(server: &Server) -> Result<()> {
    let analyzer = PerfAnalyzer::prepare(crate::MODELS.as_ref(), crate::folder())?;
    for count in [1, 2, 64] {
        let inputs = format!(r#"{{"count":{{"content":[{count}],"shape":[1]}}}}"#);
        let report = analyzer.stream(server, "Count", &inputs, REQUESTS)?;
        let report = report.success("perf_analyzer")?;
        let answers = rate(&report, "Response Throughput:") / rate(&report, "Throughput:");
        assert!(
            (answers - f64::from(count)).abs() < 0.01,
            "{count}: {report}"
        );
    }
    for at in [0, 1, 5] {
        let inputs = format!(r#"{{"at":{{"content":[{at}],"shape":[1]}}}}"#);
        let report = analyzer.stream(server, "FailsAt", &inputs, REQUESTS)?;
        assert_eq!(report.status.code(), Some(FAILED), "{report:?}");
        assert!(
            report.stderr.contains(&format!("no answer {at}")),
            "{report:?}"
        );
    }
    for protocol in ["http", "grpc"] {
        let report = analyzer.share(server, protocol, "I_FP32", "INPUT_1:16", REQUESTS)?;
        report.success("perf_analyzer")?;
    }
    // A model with one response, and sequence models with more sequences than slots.
    let pair = r#"{"INPUT_1":{"content":[1,2],"shape":[2]}}"#;
    let value = r#"{"VALUE":{"content":[1],"shape":[1]}}"#;
    for (model, inputs) in [("I_INT32", pair), ("Direct", value), ("Oldest", value)] {
        let report = analyzer.stream(server, model, inputs, REQUESTS)?;
        report.success("perf_analyzer")?;
    }
    Ok(())
}

#[test]
fn embedded() -> Result<()> {
    measure(&crate::serve(Engine::Embedded, &[])?)
}

#[test]
fn native() -> Result<()> {
    measure(&Server::start_native(
        crate::MODELS.as_ref(),
        crate::folder(),
        &[],
    )?)
}

#[test]
fn tritonserver() -> Result<()> {
    measure(&crate::serve(Engine::Tritonserver, &[])?)
}
