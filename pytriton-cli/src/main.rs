//! Serves ONNX files: `pytriton serve model.onnx other.onnx --http-port 9000`.

mod command;
mod error;
mod network;

use std::env;
use std::error::Error;
use std::io::{Write, stderr, stdout};
use std::process::ExitCode;

use pytriton::Triton;

use command::Command;
use network::Network;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(stderr(), "error: {}", with_causes(&*error));
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<ExitCode> {
    match Command::parse(env::args_os().skip(1)) {
        Command::Serve {
            files,
            batching,
            options,
        } => {
            let triton = Triton::builder().arguments(options).build()?;
            for file in files {
                let network = Network::open(&file, batching)?;
                if let Err(reason) = network.batching() {
                    writeln!(stdout(), "{}: no batching: {reason}", file.display())?;
                }
                triton.bind(network.model(), network.into_function())?;
            }
            triton.serve()?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Help => {
            write!(stdout(), "{}", command::USAGE)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Version => {
            writeln!(stdout(), "pytriton {}", env!("CARGO_PKG_VERSION"))?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Invalid(reason) => {
            write!(stderr(), "error: {reason}\n\n{}", command::USAGE)?;
            Ok(ExitCode::from(2))
        }
    }
}

/// Returns an error with its causes.
fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
