use pytriton_core::status::Status;
use thiserror::Error;

/// A trace setting cannot be changed. The messages are those of Triton 2.51.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The model does not exist.
    #[error("Request for unknown model : {model}")]
    Model {
        /// The name.
        model: String,
    },
    /// Clients cannot choose files.
    #[error("trace file location can not be updated through network protocol")]
    File,
    /// `OFF` is combined with other levels.
    #[error("Expect only one trace level 'OFF' is specified")]
    Off,
    /// Several values for a setting that takes one.
    #[error("expect only 1 value for '{setting}'")]
    Values {
        /// The setting.
        setting: &'static str,
    },
    /// The value is not a number.
    #[error("Unable to parse '{setting}', got: {got}")]
    Number {
        /// The setting.
        setting: &'static str,
        /// The value received.
        got: String,
    },
    /// The number is out of range.
    #[error("Unable to parse '{setting}', value is out of range [ {min}, {max} ], got: {got}")]
    Range {
        /// The setting.
        setting: &'static str,
        /// The minimum.
        min: i64,
        /// The maximum.
        max: i64,
        /// The value received.
        got: String,
    },
    /// The count is below -1.
    #[error("Unable to parse 'trace_count'. Expecting value >= -1, got:{blank}{got}")]
    Count {
        /// The separator before the number.
        blank: &'static str,
        /// The value received.
        got: String,
    },
    /// Traces are enabled without a destination.
    #[error("Attempting to set invalid trace setting :trace file name is not given")]
    NoFile,
    /// The rate is zero.
    #[error("Attempting to set invalid trace setting :sample rate must be non-zero")]
    NoRate,
}

impl TraceError {
    /// Returns the kind of the failure.
    pub fn status(&self) -> Status {
        match self {
            Self::File => Status::Unsupported,
            _ => Status::InvalidArgument,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_file_is_not_supported() {
        assert_eq!(TraceError::File.status(), Status::Unsupported);
        assert_eq!(TraceError::Off.status(), Status::InvalidArgument);
    }
}
