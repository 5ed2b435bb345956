use std::sync::Arc;

use super::subject;
use super::x509::X509;

/// The certificate with which the client of a connection has authenticated.
///
/// The server has verified it. The requests of the connection have it as an extension, which a
/// client cannot set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientCertificate {
    subject: Option<Arc<str>>,
}

impl ClientCertificate {
    /// Reads a certificate in DER format, which the caller has verified.
    pub fn read(der: &[u8]) -> Self {
        let subject = X509::read(der).and_then(|certificate| subject::text(certificate.subject));
        Self {
            subject: subject.map(Arc::from),
        }
    }

    /// Returns the subject in the form of RFC 4514, such as `CN=alice,O=Example`.
    ///
    /// `None` if it is empty or has another form than X.509 defines.
    pub fn subject(&self) -> Option<&Arc<str>> {
        self.subject.as_ref()
    }
}
