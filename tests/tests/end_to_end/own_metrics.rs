//! A program with its own metrics.

use std::process::Command;

use pytriton_tests::{Result, Server, finish};

use crate::command_line::{DEADLINE, FREE_PORTS, check, run};
use crate::own_program::{respond, respond_at};

const PROGRAM: &str = env!("CARGO_BIN_EXE_own_metrics");

#[test]
fn own_metrics_follow_those_of_the_server() -> Result<()> {
    let server = Server::start(PROGRAM, &["--engine=auto"])?;
    let infer = r#"{"inputs":[{"name":"x","datatype":"FP32","shape":[3,1],"data":[1,2,3]}]}"#;
    let response = respond(&server, "POST", "/v2/models/Double/infer", infer)?;
    assert!(response.contains("200 OK"), "{response}");
    let text = respond_at(&server.banner().metrics, "GET", "/metrics", "")?;
    let own =
        "# HELP own_rows_total Processed rows.\n# TYPE own_rows_total counter\nown_rows_total 3\n";
    assert!(text.ends_with(own), "{text}");
    let success = r#"nv_inference_request_success{model="Double",version="1"} 1"#;
    assert!(text.contains(success), "{text}");
    server.signal("TERM")?;
    let (status, log) = server.wait(DEADLINE)?;
    assert_eq!(status.code(), Some(0), "{log}");
    Ok(())
}

#[test]
fn metrics_that_cannot_be_served_are_errors_at_start() -> Result<()> {
    let reserved = "error: the metric `nv_rows_total` of the program starts with `nv_`";
    for arguments in [&check()[..], &FREE_PORTS] {
        let command = &mut Command::new(PROGRAM);
        let refused = finish(
            command.args(arguments).env("OWN_METRICS", "nv_rows"),
            DEADLINE,
        )?;
        assert_eq!(refused.status.code(), Some(1), "{}", refused.stderr);
        assert!(refused.stderr.contains(reserved), "{}", refused.stderr);
    }
    let refused = run(
        PROGRAM,
        &[&check()[..], &["--engine=tritonserver"]].concat(),
    )?;
    let error = "error: the program has a metrics registry, which tritonserver cannot serve";
    assert_eq!(refused.status.code(), Some(1));
    assert!(refused.stderr.contains(error), "{}", refused.stderr);
    Ok(())
}
