use std::process::Command;

use pytriton_tests::{HarnessError, Server};

/// PyTriton treats every non-empty text as true.
#[test]
fn false_values_of_environment_variables_are_false() {
    for no in ["False", "false", "0"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_test_models"));
        command.args(["--http-port=0", "--grpc-port=0", "--metrics-port=0"]);
        command.env("PYTRITON_TRITON_CONFIG_ALLOW_GRPC", no);
        match Server::spawn(&mut command) {
            Err(HarnessError::Banner { label, .. }) => assert_eq!(label, "grpc"),
            other => panic!("{no}: {other:?}"),
        }
    }
}
