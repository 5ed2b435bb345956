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

    /// Returns the reason why no client can send a key of the option, if there is one.
    pub(super) fn unusable(self, key: &str) -> Option<&'static str> {
        match self {
            Self::Http if !is_header(key) => Some("this is not a valid header name"),
            Self::Grpc if key.bytes().any(|byte| byte.is_ascii_uppercase()) => {
                Some("gRPC metadata keys are lower case")
            }
            Self::Http | Self::Grpc => None,
        }
    }
}

/// Returns whether a header can have that name (RFC 9110, 5.6.2).
pub(super) fn is_header(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_no_client_can_send_has_a_reason() {
        let (header, metadata) = (
            "this is not a valid header name",
            "gRPC metadata keys are lower case",
        );
        let table = [
            ("x-key_1.a", None, None),
            ("X-Key_1.a", None, Some(metadata)),
            ("k k", Some(header), None),
            ("k:", Some(header), None),
            ("é", Some(header), None),
        ];
        for (key, http, grpc) in table {
            assert_eq!(Protocol::Http.unusable(key), http, "{key}");
            assert_eq!(Protocol::Grpc.unusable(key), grpc, "{key}");
        }
    }
}
