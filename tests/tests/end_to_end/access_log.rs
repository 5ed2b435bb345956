//! The access log of the embedded engine: one line for each request.

use std::process::Command;

use pytriton_tests::{Engine, Result, Server, finish};
use serde_json::Value;

use crate::command_line::DEADLINE;
use crate::{python, serve};

/// Ends the server and returns the lines of the access log.
fn lines(server: Server) -> Result<Vec<Value>> {
    server.signal("TERM")?;
    let (_, log) = server.wait(DEADLINE)?;
    let lines = log.lines().filter(|line| line.starts_with('{'));
    let lines = lines.map(|line| serde_json::from_str(line).unwrap_or_default());
    Ok(lines.collect())
}

fn curl(url: &str, arguments: &[&str]) -> Result<()> {
    let mut curl = Command::new("curl");
    curl.args(["-s", "--noproxy", "*", "-o", "/dev/null", url]);
    finish(curl.args(arguments), DEADLINE)?;
    Ok(())
}

const BODY: &str =
    r#"{"id":"one","inputs":[{"name":"INPUT_1","datatype":"FP32","shape":[2,1],"data":[1,2]}]}"#;
const TRACE: &str = "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

#[test]
fn http_requests_have_one_line_each_also_if_they_are_refused() -> Result<()> {
    let arguments = [
        "--access-log=json",
        "--http-max-input-size=4096",
        "--http-restricted-api=statistics:key=value",
    ];
    let server = serve(Engine::Embedded, &arguments)?;
    let http = format!("http://{}", server.banner().http);
    let path = |path: &str| format!("{http}/v2/{path}");
    let infer = path("models/I_FP32/infer?secret=1");
    curl(&infer, &["-d", BODY, "-H", TRACE])?;
    curl(&infer, &["-d", "{"])?;
    curl(&path("models/Absent/infer"), &["-d", BODY])?;
    curl(&path("models/stats"), &[])?;
    curl(&infer, &["-d", &"x".repeat(5000)])?;
    curl(&path("health/live"), &["-H", "Host: other.example"])?;
    curl(&path("health/live"), &["-X", "DELETE"])?;
    curl(&path("health/live"), &["--head", "--http2-prior-knowledge"])?;
    let lines = lines(server)?;
    let seen = lines.iter().map(|line| {
        let text = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
        assert!(text("client").starts_with("127.0.0.1:"), "{line}");
        assert!(line["duration_seconds"].as_f64().unwrap() > 0.0, "{line}");
        assert_eq!(line.get("cut"), None, "{line}");
        let status = line["status"].as_u64().unwrap();
        (text("method"), text("path"), text("protocol"), status)
    });
    let seen: Vec<_> = seen.collect();
    let table = [
        ("POST", "models/I_FP32/infer", "HTTP/1.1", 200),
        ("POST", "models/I_FP32/infer", "HTTP/1.1", 400),
        ("POST", "models/Absent/infer", "HTTP/1.1", 404),
        ("GET", "models/stats", "HTTP/1.1", 403),
        ("POST", "models/I_FP32/infer", "HTTP/1.1", 400),
        ("GET", "health/live", "HTTP/1.1", 421),
        ("DELETE", "health/live", "HTTP/1.1", 405),
        ("HEAD", "health/live", "HTTP/2.0", 405),
    ];
    let table = table.map(|(method, path, protocol, status)| {
        let [method, protocol] = [method, protocol].map(str::to_owned);
        (method, format!("/v2/{path}"), protocol, status)
    });
    assert_eq!(seen, table);
    let first = &lines[0];
    assert_eq!(first["model"], "I_FP32", "{first}");
    assert_eq!(first["id"], "one", "{first}");
    assert_eq!(
        (&first["rows"], &first["batch_size"]),
        (&2.into(), &2.into())
    );
    assert_eq!(first["trace_id"], "0af7651916cd43dd8448eb211c80319c");
    assert_eq!(first["request_bytes"], BODY.len(), "{first}");
    assert!(first["response_bytes"].as_u64().unwrap() > 20, "{first}");
    let duration = first["duration_seconds"].as_f64().unwrap();
    for name in ["queue_seconds", "compute_seconds"] {
        let seconds = first[name].as_f64().unwrap();
        assert!(seconds > 0.0 && seconds < duration, "{first}");
    }
    assert_eq!(lines[1].get("model"), None, "{}", lines[1]);
    Ok(())
}

/// Calls `ModelInfer` twice, the second time for an absent model, and sends two messages in a
/// stream.
const CALLS: &str = "
import queue, sys
import numpy as np
import tritonclient.grpc as grpc
client = grpc.InferenceServerClient(sys.argv[1])
x = grpc.InferInput('INPUT_1', [3, 1], 'FP32')
x.set_data_from_numpy(np.ones((3, 1), np.float32))
client.infer('I_FP32', [x])
try:
    client.infer('Absent', [x])
except Exception as error:
    pass
done = queue.Queue()
client.start_stream(lambda result, error: done.put(error))
for _ in range(2):
    client.async_stream_infer('I_FP32', [x])
for _ in range(2):
    assert done.get() is None
client.stop_stream()
";

#[test]
fn grpc_calls_have_one_line_each() -> Result<()> {
    let server = serve(Engine::Embedded, &["--access-log=json"])?;
    let mut script = python()?.command();
    script.args(["-c", CALLS, &server.banner().grpc]);
    finish(&mut script, DEADLINE)?.success("python")?;
    let lines = lines(server)?;
    let texts: Vec<String> = lines.iter().map(Value::to_string).collect();
    assert_eq!(lines.len(), 3, "{texts:#?}");
    for (line, (call, status)) in lines.iter().zip([
        ("ModelInfer", 0),
        ("ModelInfer", 5),
        ("ModelStreamInfer", 0),
    ]) {
        let path = format!("/inference.GRPCInferenceService/{call}");
        assert_eq!(line["path"], *path, "{line}");
        assert_eq!(
            (&line["protocol"], &line["status"]),
            (&"gRPC".into(), &200.into())
        );
        assert_eq!(line["grpc_status"], status, "{line}");
        assert_eq!(line.get("cut"), None, "{line}");
    }
    assert_eq!(
        (&lines[0]["model"], &lines[0]["rows"]),
        (&"I_FP32".into(), &3.into())
    );
    assert_eq!(lines[1].get("model"), None, "{}", lines[1]);
    assert_eq!(lines[2]["inferences"], 2, "{}", lines[2]);
    assert_eq!(lines[2]["rows"], 6, "{}", lines[2]);
    Ok(())
}

#[test]
fn requests_whose_client_leaves_are_marked() -> Result<()> {
    let server = serve(Engine::Embedded, &["--access-log=json"])?;
    let body =
        r#"{"inputs":[{"name":"milliseconds","datatype":"UINT32","shape":[1,1],"data":[2000]}]}"#;
    let url = format!("http://{}/v2/models/Slow/infer", server.banner().http);
    curl(&url, &["-d", body, "--max-time", "0.3"])?;
    let lines = lines(server)?;
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["cut"], true, "{}", lines[0]);
    assert_eq!(lines[0].get("status"), None, "{}", lines[0]);
    Ok(())
}

#[test]
fn text_lines_are_written_only_on_request() -> Result<()> {
    for (arguments, count) in [(&["--access-log", "text"][..], 1), (&[], 0)] {
        let server = serve(Engine::Embedded, arguments)?;
        let url = format!("http://{}/v2/models/I_FP32/infer", server.banner().http);
        curl(&url, &["-d", BODY])?;
        server.signal("TERM")?;
        let (_, log) = server.wait(DEADLINE)?;
        let line = "\"POST /v2/models/I_FP32/infer HTTP/1.1\" 200 ";
        assert_eq!(log.matches(line).count(), count, "{log}");
        let model = " model=I_FP32/1 id=\"one\" rows=2 batch_size=2 queue=";
        assert_eq!(log.matches(model).count(), count, "{log}");
    }
    Ok(())
}
