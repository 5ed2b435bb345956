use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::Protocol;

/// Why groups cannot be closed as the options say. The texts about options of tritonserver's are its own.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AccessError {
    /// A restriction that does not have the format. Its text may be a secret, and is not kept.
    #[error(
        "Bad option: \"--{0}\".\n--{0} option format is '<config name>:<setting>=<value>'. Restriction {number} has another format; its text is not shown, as it may contain a secret",
        protocol.option()
    )]
    Format {
        /// Whose option it is.
        protocol: Protocol,
        /// Which of the option's values it is, from 1.
        number: usize,
    },
    /// A group that there is not.
    #[error("Bad option: \"--{}\".\nunknown restricted {} '{name}' ", protocol.option(), protocol.word())]
    Unknown {
        /// Whose option it is.
        protocol: Protocol,
        /// What it is called.
        name: String,
    },
    /// A group that is closed twice.
    #[error(
        "Bad option: \"--{}\".\nrestricted {} '{name}' can not be specified in multiple config groups",
        protocol.option(),
        protocol.word()
    )]
    Twice {
        /// Whose option it is.
        protocol: Protocol,
        /// The group.
        name: &'static str,
    },
    /// The file with the token cannot be read.
    #[error("cannot read the access token from --access-token-file {path}: {source}", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The token is none that a header could carry.
    #[error(
        "the access token in {place} must be at least 16 visible characters of ASCII, one token in a line, and it is {found}"
    )]
    Token {
        /// The file or the variable.
        place: String,
        /// What is there instead.
        found: &'static str,
    },
    /// The system has no random bytes.
    #[error("cannot make an access token: {0}")]
    Random(#[source] io::Error),
}
