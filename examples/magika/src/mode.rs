use std::str::FromStr;

/// How sure the network has to be for its word to count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Mode {
    /// As sure as files of the label that it says demand it.
    High,
    /// More sure than not.
    Medium,
    /// Not at all.
    Guess,
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "high_confidence" => Ok(Self::High),
            "medium_confidence" => Ok(Self::Medium),
            "best_guess" => Ok(Self::Guess),
            _ => Err(format!(
                "mode must be `high_confidence`, `medium_confidence` or `best_guess`, found `{text}`"
            )),
        }
    }
}
