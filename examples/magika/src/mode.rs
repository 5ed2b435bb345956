use std::str::FromStr;

/// The score threshold below which a label is not reported.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Mode {
    /// The threshold of the label, from the configuration.
    High,
    /// The medium threshold of the configuration, for all labels.
    Medium,
    /// No threshold.
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
