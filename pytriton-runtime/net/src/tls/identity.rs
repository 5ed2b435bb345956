use std::fmt::Display;
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::sign::SigningKey;
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::version::{TLS12, TLS13};
use rustls::{RootCertStore, ServerConfig};

use super::files::Contents;
use super::x509::X509;
use super::{CertificateError, Expiry, TlsFile, TlsFiles};

/// Checks that the files are usable by any server, and returns the expiry of the certificate.
///
/// # Errors
///
/// Returns a [`CertificateError`] that names the file.
pub fn inspect(port: &'static str, files: &TlsFiles) -> Result<(), CertificateError> {
    let contents = files.read()?;
    if let (Some(file), Some(roots)) = (&files.roots, &contents.roots) {
        certificates(file, roots)?;
    }
    let chain = certificates(&files.certificate, &contents.certificate)?;
    let key = private_key(&files.key, &contents.key)?;
    // Other TLS libraries may support kinds of keys that ours does not.
    if let Ok(key) = ring::sign::any_supported_type(&key) {
        check_key_matches(files, &chain, key.as_ref())?;
    }
    expiry(&files.certificate, &chain)?.log(port, "found");
    Ok(())
}

/// The certificate of a port, and its requirements for clients.
#[derive(Debug, Clone)]
pub(super) struct Identity {
    pub(super) config: Arc<ServerConfig>,
    /// The earliest expiry in the chain.
    pub(super) expiry: Expiry,
}

impl Identity {
    /// Creates the configuration from the contents of the files, for a port with these protocols.
    pub(super) fn new(
        files: &TlsFiles,
        contents: &Contents,
        protocols: &[&[u8]],
    ) -> Result<Self, CertificateError> {
        let chain = certificates(&files.certificate, &contents.certificate)?;
        let expiry = expiry(&files.certificate, &chain)?;
        let key = private_key(&files.key, &contents.key)?;
        let key =
            ring::sign::any_supported_type(&key).map_err(|source| damaged(&files.key, &source))?;
        check_key_matches(files, &chain, key.as_ref())?;
        let provider = Arc::new(ring::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&[&TLS13, &TLS12])
            .map_err(|source| damaged(&files.certificate, &source))?;
        let builder = match (&files.roots, &contents.roots) {
            (Some(file), Some(roots)) => {
                builder.with_client_cert_verifier(verifier(file, roots, provider)?)
            }
            _ => builder.with_no_client_auth(),
        };
        let certified = CertifiedKey::new(chain, key);
        let mut config = builder.with_cert_resolver(Arc::new(SingleCertAndKey::from(certified)));
        config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        if files.roots.is_some() {
            // Without session resumption, clients always present their certificates again, which
            // may have expired.
            config.session_storage = Arc::new(NoServerSessionStorage {});
            config.send_tls13_tickets = 0;
        }
        Ok(Self {
            config: Arc::new(config),
            expiry,
        })
    }
}

fn verifier(
    file: &TlsFile,
    roots: &[u8],
    provider: Arc<CryptoProvider>,
) -> Result<Arc<dyn rustls::server::danger::ClientCertVerifier>, CertificateError> {
    let mut store = RootCertStore::empty();
    for root in certificates(file, roots)? {
        store.add(root).map_err(|source| damaged(file, &source))?;
    }
    WebPkiClientVerifier::builder_with_provider(Arc::new(store), provider)
        .build()
        .map_err(|source| damaged(file, &source))
}

fn certificates(
    file: &TlsFile,
    pem: &[u8],
) -> Result<Vec<CertificateDer<'static>>, CertificateError> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let chain = chain.map_err(|source| damaged(file, &source))?;
    match chain.is_empty() {
        true => Err(CertificateError::Nothing {
            file: file.clone(),
            what: "certificate",
        }),
        false => Ok(chain),
    }
}

fn private_key(file: &TlsFile, pem: &[u8]) -> Result<PrivateKeyDer<'static>, CertificateError> {
    let file = file.clone();
    match PrivateKeyDer::from_pem_slice(pem) {
        _ if is_encrypted(pem) => Err(CertificateError::Encrypted { file }),
        Ok(key) => Ok(key),
        Err(pem::Error::NoItemsFound) => Err(CertificateError::Nothing {
            file,
            what: "private key",
        }),
        Err(source) => Err(damaged(&file, &source)),
    }
}

/// Whether a key has one of the two encrypted formats.
fn is_encrypted(pem: &[u8]) -> bool {
    let has = |text: &[u8]| pem.windows(text.len()).any(|window| window == text);
    has(b"BEGIN ENCRYPTED PRIVATE KEY") || has(b"Proc-Type: 4,ENCRYPTED")
}

fn check_key_matches(
    files: &TlsFiles,
    chain: &[CertificateDer<'_>],
    key: &dyn SigningKey,
) -> Result<(), CertificateError> {
    let certificate = chain
        .first()
        .and_then(|certificate| X509::read(certificate));
    let certified = certificate.map(|certificate| certificate.public_key);
    match (certified, key.public_key()) {
        (Some(certified), Some(key)) if certified != key.as_ref() => {
            Err(CertificateError::Mismatch {
                certificate: files.certificate.clone(),
                key: files.key.clone(),
            })
        }
        _ => Ok(()),
    }
}

/// A chain is valid as long as all its certificates are.
fn expiry(file: &TlsFile, chain: &[CertificateDer<'_>]) -> Result<Expiry, CertificateError> {
    let mut ends = chain
        .iter()
        .map(|certificate| X509::read(certificate).map(|certificate| certificate.expiry));
    let first = ends.try_fold(None, |first: Option<Expiry>, end| {
        let end = end?;
        Some(Some(first.map_or(end, |first| first.min(end))))
    });
    first
        .flatten()
        .ok_or_else(|| damaged(file, &"it is not an X.509 certificate"))
}

fn damaged(file: &TlsFile, reason: &dyn Display) -> CertificateError {
    CertificateError::Damaged {
        file: file.clone(),
        reason: reason.to_string(),
    }
}
