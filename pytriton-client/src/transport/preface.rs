use std::io;

use crate::Scheme;

/// The type of an HTTP/2 SETTINGS frame, which servers send first.
const SETTINGS: u8 = 4;

/// A TLS alert record, which many TLS servers send in response to anything else.
const ALERT: [u8; 2] = [21, 3];

/// The hint for a server that expects another protocol.
const HTTP1: &str =
    "speaks HTTP/1, but gRPC requires HTTP/2: is this an HTTP port, or one that requires TLS?";
const HTTP2: &str = "speaks HTTP/2 only: is this the gRPC port of the server?";
const TLS: &str = "speaks TLS: should the scheme be https or grpcs?";

/// Compares the first bytes from the server with the expected protocol.
///
/// # Errors
///
/// The protocol that the server speaks instead.
pub(super) fn check(scheme: Scheme, begins: &[u8]) -> io::Result<()> {
    match another(scheme, begins) {
        None => Ok(()),
        Some(speaks) => Err(io::Error::other(speaks)),
    }
}

/// Finds the error of [`check`] in a connection error: HTTP/2 keeps only the message.
pub(super) fn within(message: &str) -> Option<&'static str> {
    [HTTP1, HTTP2, TLS]
        .into_iter()
        .find(|speaks| message.contains(speaks))
}

fn another(scheme: Scheme, begins: &[u8]) -> Option<&'static str> {
    match *begins {
        _ if scheme.is_grpc() && begins.starts_with(b"HTTP/1") => {
            // A gateway may respond like this until the server is available.
            let passes = matches!(begins.get(9..12), None | Some(b"502" | b"503" | b"504"));
            (!passes).then_some(HTTP1)
        }
        [0, _, _, SETTINGS, _, 0, 0, 0, 0, ..] if !scheme.is_grpc() => Some(HTTP2),
        [first, second, ..] if [first, second] == ALERT && !scheme.has_tls() => Some(TLS),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protocol_is_detected_from_first_bytes() {
        let settings = [0, 0, 6, SETTINGS, 0, 0, 0, 0, 0, 0, 5];
        let alert = b"\x15\x03\x03\0\x02\x02\x32";
        let table: [(Scheme, &[u8], Option<&str>); 17] = [
            (Scheme::Http, b"HTTP/1.1 200 OK\r\n", None),
            (Scheme::Http, &settings, Some(HTTP2)),
            (Scheme::Http, &settings[..8], None),
            (Scheme::Http, alert, Some(TLS)),
            (Scheme::Https, b"HTTP/1.0 400 Bad Request", None),
            (Scheme::Https, &settings, Some(HTTP2)),
            (Scheme::Https, alert, None),
            (Scheme::Grpc, b"HTTP/1.1 400 Bad Request", Some(HTTP1)),
            (Scheme::Grpc, b"HTTP/1.0 505 No", Some(HTTP1)),
            (Scheme::Grpc, b"HTTP/1.1 502 Bad Gateway", None),
            (Scheme::Grpc, b"HTTP/1.1 503 Wait", None),
            (Scheme::Grpc, b"HTTP/1.1 504 Wait", None),
            (Scheme::Grpc, b"HTTP/1.1 4", None),
            (Scheme::Grpc, &settings, None),
            (Scheme::Grpc, alert, Some(TLS)),
            (Scheme::Grpcs, b"HTTP/1.1 400 Bad Request", Some(HTTP1)),
            (Scheme::Grpcs, b"", None),
        ];
        for (scheme, begins, speaks) in table {
            assert_eq!(another(scheme, begins), speaks, "{scheme} {begins:?}");
            let found = check(scheme, begins).err().map(|error| error.to_string());
            let found = found.map(|error| format!("connection error: {error}"));
            assert_eq!(found.and_then(|message| within(&message)), speaks);
        }
    }
}
