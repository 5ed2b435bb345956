use std::error::Error;
use std::fmt;
use std::time::Duration;

use rustls::AlertDescription;

use crate::{ClientError, Stage};

use super::greeting;

/// Why there is no answer from a server.
///
/// It has no source, which tonic would look into for a status of its own.
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

    /// The one of a connector somewhere in an error, or a connection that broke.
    pub(super) fn found(address: &str, error: &(dyn Error + 'static)) -> Self {
        if let Some(own) = Self::within(error) {
            return own.clone();
        }
        let message = words(error);
        if let Some(speaks) = greeting::within(&message) {
            return Self(ClientError::protocol(format!("{address} {speaks}")));
        }
        let address = address.to_owned();
        Self(match refusal(&message) {
            Some(alert) => ClientError::Tls {
                address,
                message: format!("the server refuses the client: {alert}"),
            },
            None => ClientError::Lost { address, message },
        })
    }

    /// One of these among the causes of an error.
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

/// Of a certificate that other clients take where it is trusted itself, and for which rustls has no words.
const AUTHORITY: &str = "the server's certificate is that of an authority, which may sign others only: expected one with \
                         basicConstraints=CA:FALSE, found CA:TRUE";

/// What a server says of the client's certificate, or of what the client wants, in place of the end of a handshake. Any other alert may
/// come when a request has been sent.
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

/// That a server has refused the client, which it tells when the client takes the handshake for done; HTTP/2 keeps of that no more than
/// the words.
fn refusal(message: &str) -> Option<String> {
    let (_, alert) = message.split_once("received fatal alert: ")?;
    let named = |refusal: &AlertDescription| {
        let behind = alert.strip_prefix(&format!("{refusal:?}"));
        behind.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    let refusal = REFUSALS.into_iter().find(named)?;
    Some(rustls::Error::AlertReceived(refusal).to_string())
}

/// An error and its causes.
fn words(error: &dyn Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if !words.contains(&said) {
            words = format!("{words}: {said}");
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
    fn only_who_is_refused_has_sent_nothing() {
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
            let whole = io::Error::other(alert.clone());
            let words = io::Error::other(format!("connection error: {alert}: closed"));
            for error in [whole, words] {
                let TransportError(found) = TransportError::found("grpcs://host", &error);
                assert_eq!(found.is_unsent(), unsent, "{found}");
                assert!(found.to_string().contains(&alert.to_string()), "{found}");
            }
        }
    }
}
