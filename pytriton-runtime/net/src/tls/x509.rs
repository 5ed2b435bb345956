use super::Expiry;
use super::der::{Der, SEQUENCE};

const INTEGER: u8 = 0x02;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const VERSION: u8 = 0xa0;

/// The parts of a certificate that the server needs, of any X.509 version.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct X509<'a> {
    pub(super) expiry: Expiry,
    /// The parts of the subject's name.
    pub(super) subject: Der<'a>,
    /// The public key, as `SubjectPublicKeyInfo`.
    pub(super) public_key: &'a [u8],
}

impl<'a> X509<'a> {
    /// Parses a DER certificate up to its public key.
    pub(super) fn read(der: &'a [u8]) -> Option<Self> {
        let mut der = Der(der);
        let mut certificate = der.inside(SEQUENCE)?;
        let mut fields = certificate.inside(SEQUENCE)?;
        if fields.0.first() == Some(&VERSION) {
            fields.next()?;
        }
        fields.inside(INTEGER)?;
        let _signature = fields.inside(SEQUENCE)?;
        let _issuer = fields.inside(SEQUENCE)?;
        let mut validity = fields.inside(SEQUENCE)?;
        let _not_before = validity.next()?;
        let expiry = match validity.next()? {
            (UTC_TIME, _, text) => Expiry::utc_time(text)?,
            (GENERALIZED_TIME, _, text) => Expiry::generalized_time(text)?,
            _ => return None,
        };
        let subject = fields.inside(SEQUENCE)?;
        let (SEQUENCE, public_key, _) = fields.next()? else {
            return None;
        };
        Some(Self {
            expiry,
            subject,
            public_key,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn der(tag: u8, inside: &[u8]) -> Vec<u8> {
        let length = inside.len();
        let mut der = vec![tag];
        match u8::try_from(length) {
            Ok(short @ 0..0x80) => der.push(short),
            _ => {
                der.push(0x82);
                der.extend(u16::try_from(length).unwrap().to_be_bytes());
            }
        }
        der.extend(inside);
        der
    }

    fn certificate(version: bool, time: Vec<u8>) -> Vec<u8> {
        let version = match version {
            true => der(VERSION, &der(INTEGER, &[2])),
            false => Vec::new(),
        };
        let validity = [der(UTC_TIME, b"200101000000Z"), time].concat();
        let fields = [
            version,
            der(INTEGER, &[1]),
            der(SEQUENCE, &[]),
            der(SEQUENCE, &[0; 300]),
            der(SEQUENCE, &validity),
            der(SEQUENCE, &[]),
            der(SEQUENCE, b"key"),
            der(0xa3, b"more"),
        ];
        let fields = der(SEQUENCE, &fields.concat());
        der(SEQUENCE, &[fields, der(SEQUENCE, &[])].concat())
    }

    #[test]
    fn the_expiry_and_the_key_of_a_certificate_are_found() {
        let (short, long) = (
            der(UTC_TIME, b"300101000000Z"),
            der(GENERALIZED_TIME, b"20600101000000Z"),
        );
        for (time, year) in [(short, "2030"), (long, "2060")] {
            for version in [true, false] {
                let der = certificate(version, time.clone());
                let leaf = X509::read(&der).unwrap();
                assert!(leaf.expiry.to_string().starts_with(year));
                assert_eq!(leaf.public_key, b"\x30\x03key");
            }
        }
    }

    #[test]
    fn a_truncated_certificate_is_refused() {
        let encoded = certificate(true, der(UTC_TIME, b"300101000000Z"));
        for length in 0..encoded.len() {
            assert_eq!(X509::read(&encoded[..length]), None, "{length}");
        }
        for byte in 0..encoded.len() {
            let mut changed = encoded.clone();
            for value in [0, 0x7f, 0x80, 0x84, 0xff] {
                changed[byte] = value;
                // Must not panic.
                let _ = X509::read(&changed);
            }
        }
        assert_eq!(X509::read(&certificate(true, der(INTEGER, b"1"))), None);
    }
}
