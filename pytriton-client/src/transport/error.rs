use std::error::Error;
use std::fmt;
use std::time::Duration;

use crate::{ClientError, Stage};

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
        Self(ClientError::Tls {
            address: address.to_owned(),
            message: words(error),
        })
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
        let address = address.to_owned();
        // A server tells what it thinks of the client's certificate when the client takes the handshake for done, and HTTP/2
        // keeps of that no more than the words.
        Self(match message.find("received fatal alert") {
            Some(alert) => ClientError::Tls {
                address,
                message: format!("the server refuses the client: {}", &message[alert..]),
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
