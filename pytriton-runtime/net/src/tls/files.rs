use pytriton_core::file::read_limited;

use super::{CertificateError, TlsFile};

/// The size limit of certificate files: all authorities of a system take a quarter of it.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The certificate files of a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate and its chain, in PEM format.
    pub certificate: TlsFile,
    /// The private key, in PEM format.
    pub key: TlsFile,
    /// The root certificates for client certificates, in PEM format; `None` if clients need no
    /// certificate.
    pub roots: Option<TlsFile>,
}

/// The contents of the files. No `Debug`, because they include the key.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Contents {
    pub(super) certificate: Vec<u8>,
    pub(super) key: Vec<u8>,
    pub(super) roots: Option<Vec<u8>>,
}

impl TlsFiles {
    pub(super) fn read(&self) -> Result<Contents, CertificateError> {
        Ok(Contents {
            certificate: read(&self.certificate)?,
            key: read(&self.key)?,
            roots: self.roots.as_ref().map(read).transpose()?,
        })
    }
}

fn read(file: &TlsFile) -> Result<Vec<u8>, CertificateError> {
    read_limited(&file.path, MAX_FILE_BYTES).map_err(|source| CertificateError::Read {
        file: file.clone(),
        source,
    })
}
