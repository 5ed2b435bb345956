use std::fs::File;
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::InstallError;

/// Checks the SHA-256 of a file.
pub(super) fn verify(path: &Path, expected: &'static str) -> Result<(), InstallError> {
    let got = sha256(path)?;
    match got == expected {
        true => Ok(()),
        false => Err(InstallError::Checksum {
            path: path.to_owned(),
            got,
            expected,
        }),
    }
}

fn sha256(path: &Path) -> Result<String, InstallError> {
    let mut file = File::open(path).map_err(InstallError::at(path))?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer).map_err(InstallError::at(path))? {
            0 => break,
            read => digest.update(&buffer[..read]),
        }
    }
    Ok(digest
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_checksum_is_verified() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "abc").unwrap();
        // FIPS 180-2, appendix B.1.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert!(verify(file.path(), abc).is_ok());
        let error = verify(file.path(), "00").unwrap_err().to_string();
        assert!(
            error.contains(abc) && error.ends_with("expected 00"),
            "{error}"
        );
    }
}
