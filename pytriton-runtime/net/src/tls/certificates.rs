use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use parking_lot::RwLock;
use rustls::ServerConfig;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::files::Contents;
use super::identity::Identity;
use super::{CertificateError, Expiry, TlsFiles};

/// How often the files are checked.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// The certificate of a port, reloaded from its files.
#[derive(Debug, Clone)]
pub struct Certificates(Arc<Current>);

#[derive(Debug)]
struct Current {
    port: &'static str,
    files: TlsFiles,
    protocols: &'static [&'static [u8]],
    config: RwLock<Arc<ServerConfig>>,
    expiry: AtomicI64,
}

/// The last state of the files.
struct KnownFiles {
    served: Contents,
    /// An invalid state, and whether it has been reported.
    refused: Option<(Refused, bool)>,
}

#[derive(PartialEq, Eq)]
enum Refused {
    Contents(Box<Contents>),
    Unread(String),
}

/// The result of a check.
enum CheckResult {
    Same,
    New(Box<(Contents, Identity)>),
    Refused(Refused, CertificateError),
}

impl Certificates {
    /// Reads the files of a port with these ALPN protocols. Returns the certificates, and a future
    /// that reloads them until it is dropped. Invalid files are logged and have no effect.
    ///
    /// # Errors
    ///
    /// Returns a [`CertificateError`] that names the file.
    pub fn new(
        port: &'static str,
        files: TlsFiles,
        protocols: &'static [&'static [u8]],
    ) -> Result<(Self, impl Future<Output = ()> + Send + 'static), CertificateError> {
        let served = files.read()?;
        let Identity { config, expiry } = Identity::new(&files, &served, protocols)?;
        expiry.log(port, "loaded");
        let certificates = Self(Arc::new(Current {
            port,
            files,
            protocols,
            config: RwLock::new(config),
            expiry: AtomicI64::new(expiry.seconds()),
        }));
        let known = KnownFiles {
            served,
            refused: None,
        };
        let fresh = certificates.clone().keep_fresh(known);
        Ok((certificates, fresh))
    }

    /// Returns the TLS configuration for new connections.
    pub fn config(&self) -> Arc<ServerConfig> {
        let config = self.0.config.read();
        Arc::clone(&config)
    }

    /// Returns the name of the port.
    pub fn port(&self) -> &'static str {
        self.0.port
    }

    /// Returns the expiry of the certificate.
    pub fn expiry(&self) -> Expiry {
        Expiry::from_seconds(self.0.expiry.load(Ordering::Relaxed))
    }

    /// Checks the files periodically. Invalid files have no effect.
    async fn keep_fresh(self, mut known: KnownFiles) {
        loop {
            sleep(POLL_INTERVAL).await;
            let current = Arc::clone(&self.0);
            // The files may be on a network file system.
            let check = spawn_blocking(move || {
                let check = current.check(&known.served);
                (check, known)
            });
            let Ok((check, before)) = check.await else {
                return;
            };
            known = self.0.apply(check, before);
        }
    }
}

impl Current {
    fn check(&self, served: &Contents) -> CheckResult {
        match self.files.read() {
            Ok(contents) if contents == *served => CheckResult::Same,
            Ok(contents) => match Identity::new(&self.files, &contents, self.protocols) {
                Ok(identity) => CheckResult::New(Box::new((contents, identity))),
                Err(error) => CheckResult::Refused(Refused::Contents(Box::new(contents)), error),
            },
            Err(error) => CheckResult::Refused(Refused::Unread(error.to_string()), error),
        }
    }

    fn apply(&self, check: CheckResult, mut known: KnownFiles) -> KnownFiles {
        match check {
            CheckResult::Same => known.refused = None,
            CheckResult::New(new) => {
                let (contents, Identity { config, expiry }) = *new;
                *self.config.write() = config;
                self.expiry.store(expiry.seconds(), Ordering::Relaxed);
                expiry.log(self.port, "reloaded");
                known.served = contents;
                known.refused = None;
            }
            CheckResult::Refused(found, error) => {
                // Waits for a second equal read, because the files may be written one after the
                // other.
                let again = known.refused.take().filter(|(last, _)| *last == found);
                if let Some((_, false)) = again {
                    tracing::error!(
                        port = self.port,
                        "cannot reload the certificate, so the previous one remains in use: {error}"
                    );
                }
                known.refused = Some((found, again.is_some()));
            }
        }
        known
    }
}
