use crate::flags::{GRPC_RESTRICTED_PROTOCOL, HTTP_RESTRICTED_API};

/// A client protocol. Each has its own option, terms and header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP.
    Http,
    /// gRPC.
    Grpc,
}

impl Protocol {
    /// Both protocols.
    pub const ALL: [Self; 2] = [Self::Http, Self::Grpc];

    /// Returns the option that restricts groups, without its dashes.
    pub const fn option(self) -> &'static str {
        match self {
            Self::Http => HTTP_RESTRICTED_API,
            Self::Grpc => GRPC_RESTRICTED_PROTOCOL,
        }
    }

    /// Returns the option's term for a group.
    pub(super) const fn term(self) -> &'static str {
        match self {
            Self::Http => "api",
            Self::Grpc => "protocol",
        }
    }

    /// Returns the header name for a key of the option.
    pub fn header(self, key: &str) -> String {
        match self {
            Self::Http => key.to_owned(),
            Self::Grpc => format!("triton-grpc-protocol-{key}"),
        }
    }
}
