use std::fmt;

/// The protocol of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scheme {
    /// `http`: HTTP/1.1, port 8000.
    Http,
    /// `https`: HTTP over TLS.
    Https,
    /// `grpc`: HTTP/2, port 8001.
    Grpc,
    /// `grpcs`: gRPC over TLS.
    Grpcs,
}

impl Scheme {
    const ALL: [Self; 4] = [Self::Http, Self::Https, Self::Grpc, Self::Grpcs];

    /// Parses a scheme, ignoring case.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let is = |scheme: &Self| scheme.name().eq_ignore_ascii_case(name);
        Self::ALL.into_iter().find(is)
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
            Self::Grpc => "grpc",
            Self::Grpcs => "grpcs",
        }
    }

    /// Returns the default port.
    pub fn default_port(self) -> u16 {
        match self {
            Self::Http | Self::Https => 8000,
            Self::Grpc | Self::Grpcs => 8001,
        }
    }

    /// Returns whether this is gRPC.
    pub fn is_grpc(self) -> bool {
        matches!(self, Self::Grpc | Self::Grpcs)
    }

    /// Returns whether this uses TLS.
    pub fn has_tls(self) -> bool {
        matches!(self, Self::Https | Self::Grpcs)
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
