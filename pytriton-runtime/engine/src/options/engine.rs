use std::path::PathBuf;

use clap::builder::BoolishValueParser;
use clap::{Args, ValueEnum};
use thiserror::Error;

use crate::flags::{Flags, HEADING};

/// This binary has no tritonserver engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("this binary has no tritonserver engine: {reason}")]
pub struct NoTritonserver {
    /// The reason.
    pub reason: &'static str,
}

/// The engine, and the options of the tritonserver engine.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = HEADING)]
pub struct TritonOptions {
    /// Engine that serves the requests
    #[arg(
        long,
        env = "PYTRITON_ENGINE",
        value_enum,
        default_value_t = EngineChoice::Auto,
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

    /// Flags for tritonserver
    #[command(flatten)]
    pub flags: Flags,
}

/// The engine that serves the requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[non_exhaustive]
pub enum EngineChoice {
    /// tritonserver if one is found, otherwise this process.
    Auto,
    /// This process.
    Embedded,
    /// NVIDIA's server, started by this process.
    Tritonserver,
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct CommandLine {
        #[command(flatten)]
        triton: TritonOptions,
    }

    #[test]
    fn unknown_engines_are_refused() {
        assert!(CommandLine::try_parse_from(["test", "--engine=x"]).is_err());
        let line = CommandLine::try_parse_from(["test", "--engine=embedded"]).unwrap();
        assert_eq!(line.triton.engine, EngineChoice::Embedded);
    }
}
