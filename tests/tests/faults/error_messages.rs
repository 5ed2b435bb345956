//! Error messages: they forge no log lines, contain no terminal colours, and have a limited length.

use pytriton_tests::{Engine, Result, Server, finish};

use crate::engine::{FREE_PORTS, prepare};
use crate::{EXIT, MODELS, http, python};

/// Makes a model fail over gRPC with a text of the given length; prints the status and the length
/// of its message.
const CALL: &str = r#"
import sys
import numpy as np
import tritonclient.grpc as protocol
client = protocol.InferenceServerClient(sys.argv[1])
values = {"how": np.array([sys.argv[2] == "panics"]), "text": np.array(["\u00e4" * int(sys.argv[3])], dtype=object)}
inputs = []
for (name, value), datatype in zip(values.items(), ["BOOL", "BYTES"]):
    inputs.append(protocol.InferInput(name, value.shape, datatype).set_data_from_numpy(value))
try:
    client.infer("Echo", inputs)
except protocol.InferenceServerException as error:
    print(error.status(), len(error.message().encode()))
"#;

/// A line break, a colour, and a control character.
const FORGED: &str = r"x\n[ERROR] forged\r\u001b[31m\u0007";

fn fail(server: &Server, panics: bool, text: &str) -> Result<http::Answer> {
    let inputs = format!(
        r#"{{"name":"how","datatype":"BOOL","shape":[1],"data":[{panics}]}},{{"name":"text","datatype":"BYTES","shape":[1],"data":["{text}"]}}"#
    );
    http::infer(&server.banner().http, "Echo", &inputs)
}

#[test]
fn function_errors_are_escaped_and_bounded() -> Result<()> {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        for format in ["human", "json"] {
            let home = tempfile::tempdir()?;
            let mut command = std::process::Command::new(MODELS);
            if engine == Engine::Tritonserver {
                prepare(&mut command, home.path())?;
            }
            let options = [&format!("--log-format={format}"), "--log-verbose=1"];
            let server = Server::spawn(command.args(FREE_PORTS).args(options))?;
            for panics in [false, true] {
                let answer = fail(&server, panics, FORGED)?;
                assert_eq!(answer.status, 500, "{answer:?}");
                assert!(answer.body.contains(r"x\n[ERROR] forged"), "{answer:?}");
                let answer = fail(&server, panics, &"long".repeat(1 << 18))?;
                assert_eq!(answer.status, 500);
                assert!(answer.body.contains("longlong"), "{}", answer.body.len());
                assert!(answer.body.len() < 3000, "{}", answer.body.len());
                let how = if panics { "panics" } else { "fails" };
                let mut call = python()?.command();
                call.args(["-c", CALL, &server.banner().grpc, how, "1000000"]);
                let output = finish(&mut call, EXIT)?.success("python")?;
                let (status, length) = output.trim().split_once(' ').unwrap_or_default();
                assert_eq!(status, "StatusCode.INTERNAL", "{output}");
                assert!(
                    length.parse::<usize>().is_ok_and(|length| length < 3000),
                    "{output}"
                );
            }
            let log = server.log_with(&["panicked", "batch failed"])?;
            assert!(!log.contains('\u{1b}') && !log.contains('\u{7}') && !log.contains('\r'));
            for line in log.lines() {
                let is_complete = match format {
                    "human" => line.starts_with("20"),
                    _ => line.starts_with('{') && line.ends_with('}'),
                };
                assert!(is_complete && line.len() < 20_000, "{} {line}", line.len());
            }
        }
    }
    Ok(())
}

/// Output of tritonserver is escaped in our log and in our final error message.
#[test]
fn tritonserver_errors_are_escaped() -> Result<()> {
    let home = tempfile::tempdir()?;
    let real = crate::engine::installed()?;
    let line = r#"E0101 01:02:03.4 1 b.cc:9] \"x\\n[ERROR] forged \\u001b[31m\""#;
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = --help ] && exec '{real}/bin/tritonserver' --help\nprintf '%s\\n' \"{line}\"; printf 'error: \\033[31mred\\n'; exit 7\n"
    );
    let binary = crate::failed_start::program(home.path(), 0o755, &script)?;
    let mut command = crate::engine::command(home.path(), &[])?;
    let refused = finish(command.env("PYTRITON_TRITONSERVER", binary), EXIT)?;
    let log = refused.stderr;
    assert_eq!(refused.status.code(), Some(1), "{log}");
    assert!(
        !log.contains('\u{1b}') && !log.contains("\n[ERROR]"),
        "{log}"
    );
    let expected = "error: tritonserver exited with code 7\n  x\\n[ERROR] forged \\u{1b}[31m\n  error: \\u{1b}[31mred\n";
    assert!(log.ends_with(expected), "{log}");
    Ok(())
}
