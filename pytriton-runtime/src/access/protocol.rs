/// What a client speaks. Each has its own option, its own words and its own header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP.
    Http,
    /// gRPC.
    Grpc,
}

impl Protocol {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Http, Self::Grpc];

    /// The option that closes groups, without its dashes.
    pub const fn option(self) -> &'static str {
        match self {
            Self::Http => "http-restricted-api",
            Self::Grpc => "grpc-restricted-protocol",
        }
    }

    /// What that option calls a group.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Http => "api",
            Self::Grpc => "protocol",
        }
    }

    /// The name of the header that a key of the option stands for.
    pub fn header(self, key: &str) -> String {
        match self {
            Self::Http => key.to_owned(),
            Self::Grpc => format!("triton-grpc-protocol-{key}"),
        }
    }
}
