use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::Protocol;

/// The access options are invalid. The messages about tritonserver's options are its own.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AccessError {
    /// A malformed restriction. Its text may be a secret and is not kept.
    #[error(
        "Bad option: \"--{0}\".\n--{0} option format is '<config name>:<setting>=<value>'. Restriction {number} has another format; its text is not shown, as it may contain a secret",
        protocol.option()
    )]
    Format {
        /// The protocol of the option.
        protocol: Protocol,
        /// The position among the option's values, starting at 1.
        number: usize,
    },
    /// An unknown group.
    #[error("Bad option: \"--{}\".\nunknown restricted {} '{name}' ", protocol.option(), protocol.term())]
    Unknown {
        /// The protocol of the option.
        protocol: Protocol,
        /// The name.
        name: String,
    },
    /// A group is restricted twice.
    #[error(
        "Bad option: \"--{}\".\nrestricted {} '{name}' can not be specified in multiple config groups",
        protocol.option(),
        protocol.term()
    )]
    Twice {
        /// The protocol of the option.
        protocol: Protocol,
        /// The group.
        name: &'static str,
    },
    /// The token file cannot be read.
    #[error("cannot read the access token from --access-token-file {path}: {source}", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The token is not valid as the value of a header.
    #[error(
        "the access token in {place} must have at least 16 visible ASCII characters, one token per line, optionally after the name of its clients and a colon, as in `alice: TOKEN`, but it is {found}"
    )]
    Token {
        /// The file or the variable.
        place: String,
        /// The actual content.
        found: &'static str,
    },
    /// The system provides no random bytes.
    #[error("cannot generate an access token: {0}")]
    Random(#[source] io::Error),
}
