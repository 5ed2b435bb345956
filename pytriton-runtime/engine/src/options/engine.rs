use std::path::PathBuf;

use clap::builder::{BoolishValueParser, TypedValueParser};
use thiserror::Error;

use crate::arguments::{named, options};
use crate::flags::{Flags, HEADING};

/// This binary has no tritonserver engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("this binary has no tritonserver engine: {reason}")]
pub struct NoTritonserver {
    /// The reason.
    pub reason: &'static str,
}

options! {
    heading = HEADING;

    /// The engine, and the options of the tritonserver engine.
    #[derive(Debug, Clone)]
    pub struct TritonOptions {
        /// Engine that serves the requests
        #[arg(
            long,
            env = "PYTRITON_ENGINE",
            value_parser = engine_parser(),
            default_value = "auto",
            help_heading = None
        )]
        pub engine: EngineChoice,

        /// Path of the tritonserver binary or of its installation folder
        #[arg(long, env = "PYTRITON_TRITONSERVER", value_name = "PATH")]
        pub tritonserver: Option<PathBuf>,

        /// Restart tritonserver if it exits unexpectedly. By default, the server then exits, too
        #[arg(long, env = "PYTRITON_RESTART", value_parser = BoolishValueParser::new())]
        pub restart: bool,

        /// Seconds within which tritonserver must become ready, including the models in
        /// --model-repository
        #[arg(
            long,
            env = "PYTRITON_READY_TIMEOUT_SECS",
            value_name = "SECONDS",
            default_value_t = 600,
            value_parser = clap::value_parser!(u64).range(1..)
        )]
        pub ready_timeout_secs: u64,
    }

    groups {
        /// Flags for tritonserver
        pub flags: Flags,
    }
}

/// The engine that serves the requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EngineChoice {
    /// tritonserver if one is found, otherwise this process.
    #[default]
    Auto,
    /// This process.
    Embedded,
    /// NVIDIA's server, started by this process.
    Tritonserver,
}

/// Returns the parser of the option for the engine.
fn engine_parser() -> impl TypedValueParser<Value = EngineChoice> {
    named(&[
        (
            "auto",
            "tritonserver if one is found, otherwise this process",
            EngineChoice::Auto,
        ),
        ("embedded", "This process", EngineChoice::Embedded),
        (
            "tritonserver",
            "NVIDIA's server, started by this process",
            EngineChoice::Tritonserver,
        ),
    ])
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::Arguments;

    #[derive(Debug, Parser)]
    struct CommandLine {
        #[command(flatten)]
        triton: Arguments<TritonOptions>,
    }

    #[test]
    fn unknown_engines_are_refused() {
        assert!(CommandLine::try_parse_from(["test", "--engine=x"]).is_err());
        let line = CommandLine::try_parse_from(["test", "--engine=embedded"]).unwrap();
        assert_eq!(line.triton.0.engine, EngineChoice::Embedded);
    }
}
