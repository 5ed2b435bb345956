use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, RootCertStore};
use tokio_rustls::TlsConnector;

use crate::{Address, ClientError};

/// Trusted authorities and the client's certificate, in PEM format.
///
/// # Examples
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use pytriton_client::{AsyncModelClient, Tls};
///
/// let tls = Tls::new()
///     .roots(std::fs::read("ca.pem")?)
///     .identity(std::fs::read("client.pem")?, std::fs::read("client.key")?);
/// let client = AsyncModelClient::builder("grpcs://triton.example", "Linear").tls(tls).build()?;
/// # let _ = client;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Tls {
    roots: Option<Vec<u8>>,
    identity: Option<(Vec<u8>, Vec<u8>)>,
    server_name: Option<String>,
}

impl Tls {
    /// Creates options that trust the system's authorities and send no client certificate.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the trusted authorities, instead of the system's.
    pub fn roots(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.roots = Some(pem.into());
        self
    }

    /// Sets the client's certificate, followed by its chain, and the private key.
    pub fn identity(mut self, certificates: impl Into<Vec<u8>>, key: impl Into<Vec<u8>>) -> Self {
        self.identity = Some((certificates.into(), key.into()));
        self
    }

    /// Sets the name that the server's certificate must contain, instead of the host of the
    /// address.
    pub fn server_name(mut self, name: impl Into<String>) -> Self {
        self.server_name = Some(name.into());
        self
    }

    pub(super) fn connector(
        &self,
        address: &Address,
    ) -> Result<(TlsConnector, ServerName<'static>), ClientError> {
        let damaged = |what: &str, error: &dyn std::fmt::Display| ClientError::Tls {
            address: address.to_string(),
            message: format!("{what}: {error}"),
        };
        let host = address.host().trim_matches(['[', ']']);
        let name = self.server_name.as_deref().unwrap_or(host).to_owned();
        let name =
            ServerName::try_from(name).map_err(|error| damaged("the server's name", &error))?;
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&[&TLS13, &TLS12])
            .map_err(|error| damaged("the protocol", &error))?
            .with_root_certificates(self.trusted(&damaged)?);
        let mut config = match &self.identity {
            None => builder.with_no_client_auth(),
            Some((certificates, key)) => {
                let chain: Result<Vec<_>, _> =
                    CertificateDer::pem_slice_iter(certificates).collect();
                let chain =
                    chain.map_err(|error| damaged("the client's certificates", &words(&error)))?;
                let key = PrivateKeyDer::from_pem_slice(key);
                let key =
                    key.map_err(|error| damaged("the client's private key", &words(&error)))?;
                let config = builder.with_client_auth_cert(chain, key);
                config.map_err(|error| damaged("the client's certificates", &error))?
            }
        };
        let protocol: &[u8] = match address.scheme().is_grpc() {
            true => b"h2",
            false => b"http/1.1",
        };
        config.alpn_protocols = vec![protocol.to_vec()];
        Ok((TlsConnector::from(Arc::new(config)), name))
    }

    fn trusted(&self, damaged: &Damaged<'_>) -> Result<RootCertStore, ClientError> {
        let mut store = RootCertStore::empty();
        let Some(pem) = &self.roots else {
            // rustls may reject some of the system's certificates.
            let machine = rustls_native_certs::load_native_certs();
            store.add_parsable_certificates(machine.certs);
            return match store.is_empty() {
                true => Err(damaged("the system's root certificates", &"there are none")),
                false => Ok(store),
            };
        };
        for root in CertificateDer::pem_slice_iter(pem) {
            let root = root.map_err(|error| damaged(ROOTS, &words(&error)))?;
            let added = store.add(root);
            added.map_err(|error| damaged(ROOTS, &format!("one is malformed ({error})")))?;
        }
        match store.is_empty() {
            true => Err(damaged(ROOTS, &"there are none")),
            false => Ok(store),
        }
    }
}

const ROOTS: &str = "the root certificates";

/// Returns a readable message for a PEM error.
fn words(error: &pem::Error) -> String {
    match error {
        pem::Error::MissingSectionEnd { .. } => "one is truncated".to_owned(),
        pem::Error::NoItemsFound => "there is none".to_owned(),
        other => other.to_string(),
    }
}

type Damaged<'a> = dyn Fn(&str, &dyn std::fmt::Display) -> ClientError + 'a;

/// Does not print keys.
impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tls")
            .field("roots", &self.roots.is_some())
            .field("identity", &self.identity.is_some())
            .field("server_name", &self.server_name)
            .finish()
    }
}
