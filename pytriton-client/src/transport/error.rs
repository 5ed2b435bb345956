use std::error::Error;
use std::fmt;
use std::time::Duration;

use rustls::AlertDescription;

use crate::{ClientError, Stage};

use super::preface;

/// A transport error.
///
/// It has no source, because tonic would search the source for a status.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TransportError(pub(crate) ClientError);

impl TransportError {
    pub(super) fn connect(address: &str, error: &dyn Error) -> Self {
        Self(ClientError::Connect {
            address: address.to_owned(),
            message: words(error),
        })
    }

    pub(super) fn tls(address: &str, error: &dyn Error) -> Self {
        let message = words(error);
        let message = match message.contains("CaUsedAsEndEntity") {
            true => AUTHORITY.to_owned(),
            false => message,
        };
        let address = address.to_owned();
        Self(ClientError::Tls { address, message })
    }

    pub(super) fn slow(timeout: Duration) -> Self {
        Self(ClientError::Timeout {
            stage: Stage::Connect,
            timeout,
            message: String::new(),
        })
    }

    /// Returns the connector's error within `error`, or a broken connection.
    pub(super) fn found(address: &str, error: &(dyn Error + 'static)) -> Self {
        if let Some(own) = Self::within(error) {
            return own.clone();
        }
        let message = words(error);
        if let Some(speaks) = preface::within(&message) {
            return Self(ClientError::protocol(format!("{address} {speaks}")));
        }
        let address = address.to_owned();
        Self(match refusal(&message) {
            Some(alert) => ClientError::Tls {
                address,
                message: format!("the server refused the client: {alert}"),
            },
            None => ClientError::Lost { address, message },
        })
    }

    /// Finds a transport error among the causes.
    pub(crate) fn within<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a Self> {
        let mut error = error;
        loop {
            match error.downcast_ref() {
                Some(found) => return Some(found),
                None => error = error.source()?,
            }
        }
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for TransportError {}

/// The message for a server certificate of an authority. Other clients accept it if it is trusted
/// itself, and rustls has no message for it.
const AUTHORITY: &str = "the server's certificate is a CA certificate: expected basicConstraints=CA:FALSE, found CA:TRUE";

/// Alerts that a server sends instead of completing the handshake, about the client's certificate
/// or options. Other alerts may arrive after a request was sent.
const REFUSALS: [AlertDescription; 17] = [
    AlertDescription::HandshakeFailure,
    AlertDescription::NoCertificate,
    AlertDescription::BadCertificate,
    AlertDescription::UnsupportedCertificate,
    AlertDescription::CertificateRevoked,
    AlertDescription::CertificateExpired,
    AlertDescription::CertificateUnknown,
    AlertDescription::UnknownCA,
    AlertDescription::AccessDenied,
    AlertDescription::DecryptError,
    AlertDescription::ProtocolVersion,
    AlertDescription::InsufficientSecurity,
    AlertDescription::MissingExtension,
    AlertDescription::UnsupportedExtension,
    AlertDescription::UnrecognisedName,
    AlertDescription::CertificateRequired,
    AlertDescription::NoApplicationProtocol,
];

/// Recognizes a refused handshake, which the server reports after the client considers the
/// handshake complete. HTTP/2 keeps only the message.
fn refusal(message: &str) -> Option<String> {
    let (_, alert) = message.split_once("received fatal alert: ")?;
    let named = |refusal: &AlertDescription| {
        let behind = alert.strip_prefix(&format!("{refusal:?}"));
        behind.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    let refusal = REFUSALS.into_iter().find(named)?;
    Some(rustls::Error::AlertReceived(refusal).to_string())
}

/// Returns the message of an error with its causes.
fn words(error: &dyn Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !words.contains(&text) {
            words = format!("{words}: {text}");
        }
        cause = error.source();
    }
    words
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn only_refused_requests_are_unsent() {
        let table = [
            (AlertDescription::CertificateRequired, true),
            (AlertDescription::UnknownCA, true),
            (AlertDescription::HandshakeFailure, true),
            (AlertDescription::InternalError, false),
            (AlertDescription::BadRecordMac, false),
            (AlertDescription::DecryptionFailed, false),
            (AlertDescription::Unknown(200), false),
        ];
        for (alert, unsent) in table {
            let alert = rustls::Error::AlertReceived(alert);
            let alone = io::Error::other(alert.clone());
            let words = io::Error::other(format!("connection error: {alert}: closed"));
            for error in [alone, words] {
                let TransportError(found) = TransportError::found("grpcs://host", &error);
                assert_eq!(found.is_unsent(), unsent, "{found}");
                assert!(found.to_string().contains(&alert.to_string()), "{found}");
            }
        }
    }
}
