use std::fmt;

use crate::engine::ChoiceError;

use super::ServerError;

/// Why an engine was chosen. The log contains the complete reason, and the banner a short one.
#[derive(Debug)]
pub(super) enum EngineReason {
    /// `--engine` names the engine.
    Requested,
    /// A router is served, which only the embedded engine can do.
    Router,
    /// tritonserver cannot serve a part of the program.
    Part(&'static str),
    /// `--engine auto` finds no tritonserver that runs, or this binary cannot use one.
    NoTritonserver(ServerError),
    /// A tritonserver was found. The text contains its path.
    #[cfg_attr(
        not(tritonserver),
        expect(dead_code, reason = "only the tritonserver engine has this reason")
    )]
    Found(String),
}

impl EngineReason {
    /// Returns the reason without the places that were searched.
    pub(super) fn short(&self) -> String {
        match self {
            Self::NoTritonserver(ServerError::Choice(ChoiceError::NoTritonserver(_))) => {
                "this binary has no tritonserver engine".to_owned()
            }
            Self::NoTritonserver(_) => "no usable tritonserver found".to_owned(),
            reason => reason.to_string(),
        }
    }
}

impl fmt::Display for EngineReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Requested => f.write_str("set by --engine"),
            Self::Router => f.write_str("a router supports no other engine"),
            Self::Part(part) => write!(f, "tritonserver cannot serve the program's {part}"),
            Self::NoTritonserver(error) => error.fmt(f),
            Self::Found(place) => f.write_str(place),
        }
    }
}
