use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use rustls::ServerConfig;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::files::Contents;
use super::identity::Identity;
use super::{Expiry, TlsError, TlsFiles};

/// How often the files are looked at.
const LOOK: Duration = Duration::from_secs(2);

/// The certificate of a port, which is that in its files.
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

/// What the files have been found to be.
struct Seen {
    served: Contents,
    /// What is no certificate, and whether that has been said.
    refused: Option<(Refused, bool)>,
}

#[derive(PartialEq, Eq)]
enum Refused {
    Contents(Box<Contents>),
    Unread(String),
}

/// What a look at the files has found.
enum Look {
    Same,
    New(Box<(Contents, Identity)>),
    Refused(Refused, TlsError),
}

impl Certificates {
    /// Reads the files of a port that speaks these protocols.
    ///
    /// # Errors
    ///
    /// A [`TlsError`] that names the file.
    pub fn new(
        port: &'static str,
        files: TlsFiles,
        protocols: &'static [&'static [u8]],
    ) -> Result<(Self, impl Future<Output = ()> + Send + 'static), TlsError> {
        let served = files.read()?;
        let Identity { config, expiry } = Identity::new(&files, &served, protocols)?;
        expiry.tell(port, "loaded");
        let certificates = Self(Arc::new(Current {
            port,
            files,
            protocols,
            config: RwLock::new(config),
            expiry: AtomicI64::new(expiry.seconds()),
        }));
        let seen = Seen {
            served,
            refused: None,
        };
        let fresh = certificates.clone().keep_fresh(seen);
        Ok((certificates, fresh))
    }

    /// How a connection that comes now is encrypted.
    pub fn config(&self) -> Arc<ServerConfig> {
        let config = self.0.config.read();
        Arc::clone(&config.unwrap_or_else(PoisonError::into_inner))
    }

    /// The port's name.
    pub fn port(&self) -> &'static str {
        self.0.port
    }

    /// When the certificate expires.
    pub fn expiry(&self) -> Expiry {
        Expiry::from_seconds(self.0.expiry.load(Ordering::Relaxed))
    }

    /// Looks at the files again and again. What is no certificate changes nothing.
    async fn keep_fresh(self, mut seen: Seen) {
        loop {
            sleep(LOOK).await;
            let current = Arc::clone(&self.0);
            // Files may be on another machine.
            let look = spawn_blocking(move || {
                let look = current.look(&seen.served);
                (look, seen)
            });
            let Ok((look, before)) = look.await else {
                return;
            };
            seen = self.0.take(look, before);
        }
    }
}

impl Current {
    fn look(&self, served: &Contents) -> Look {
        match self.files.read() {
            Ok(contents) if contents == *served => Look::Same,
            Ok(contents) => match Identity::new(&self.files, &contents, self.protocols) {
                Ok(identity) => Look::New(Box::new((contents, identity))),
                Err(error) => Look::Refused(Refused::Contents(Box::new(contents)), error),
            },
            Err(error) => Look::Refused(Refused::Unread(error.to_string()), error),
        }
    }

    fn take(&self, look: Look, mut seen: Seen) -> Seen {
        match look {
            Look::Same => seen.refused = None,
            Look::New(new) => {
                let (contents, Identity { config, expiry }) = *new;
                *self.config.write().unwrap_or_else(PoisonError::into_inner) = config;
                self.expiry.store(expiry.seconds(), Ordering::Relaxed);
                expiry.tell(self.port, "reloaded");
                seen.served = contents;
                seen.refused = None;
            }
            Look::Refused(found, error) => {
                // Who writes one file after the other is not interrupted.
                let again = seen.refused.take().filter(|(last, _)| *last == found);
                if let Some((_, false)) = again {
                    tracing::error!(
                        port = self.port,
                        "the new certificate is not taken, and the last one stays: {error}"
                    );
                }
                seen.refused = Some((found, again.is_some()));
            }
        }
        seen
    }
}
