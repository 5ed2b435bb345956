use std::fmt;
use std::hint::black_box;
use std::sync::Arc;

use parking_lot::RwLock;
use sha2::{Digest, Sha256};

/// A secret that opens a group. Only [`expose`](Self::expose) reveals it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    /// The name of the clients that have it.
    name: Option<Arc<str>>,
    text: Box<str>,
    digest: [u8; 32],
}

/// The secrets that open a group; each is sufficient. They can change at any time.
#[derive(Debug)]
pub struct Secrets(RwLock<Vec<Secret>>);

impl Secret {
    /// Creates a secret from its text.
    pub fn new(text: &str) -> Self {
        Self {
            name: None,
            text: text.into(),
            digest: digest(text.as_bytes()),
        }
    }

    /// Sets the name of the clients that have the secret. It is not a secret.
    pub(super) fn named(self, name: &str) -> Self {
        let name = Some(name.into());
        Self { name, ..self }
    }

    /// Returns whether the secrets are equal but their names differ.
    pub(super) fn is_renamed(&self, other: &Self) -> bool {
        self.digest == other.digest && self.name != other.name
    }

    /// Returns the text itself.
    pub fn expose(&self) -> &str {
        &self.text
    }

    /// Compares digests. The time it takes depends neither on the length of the secret nor on its
    /// beginning: digests have equal lengths and are compared completely.
    fn is(&self, given: &[u8; 32]) -> bool {
        let pairs = self.digest.iter().zip(given);
        // Prevents the compiler from stopping at the first difference.
        let difference = pairs.fold(0, |difference, (kept, given)| {
            black_box(difference | (kept ^ given))
        });
        difference == 0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret")
    }
}

impl Secrets {
    /// Creates a set of secrets.
    pub fn new(secrets: Vec<Secret>) -> Self {
        Self(RwLock::new(secrets))
    }

    /// Returns whether these bytes are one of the secrets.
    ///
    /// # Examples
    ///
    /// ```
    /// # use pytriton_engine::access::{Secret, Secrets};
    /// let secrets = Secrets::new(vec![Secret::new("a=b"), Secret::new("c")]);
    /// assert!(secrets.have(b"a=b"));
    /// assert!(secrets.have(b"c"));
    /// assert!(!secrets.have(b"a=b "));
    /// assert!(!secrets.have(b""));
    /// ```
    pub fn have(&self, bytes: &[u8]) -> bool {
        find(&self.0.read(), bytes).is_some()
    }

    /// Returns the name of the secret that these bytes are, if it has one.
    pub fn name_of(&self, bytes: &[u8]) -> Option<Arc<str>> {
        let secrets = self.0.read();
        if secrets.iter().all(|secret| secret.name.is_none()) {
            return None;
        }
        find(&secrets, bytes)?.name.clone()
    }

    /// Returns the first secret, which is used for outgoing requests and for tritonserver.
    pub fn first(&self) -> Option<Secret> {
        let secrets = self.0.read();
        secrets.first().cloned()
    }

    /// Returns whether these are the current secrets.
    pub(super) fn are(&self, others: &[Secret]) -> bool {
        *self.0.read() == others
    }

    /// Replaces the secrets. Returns whether any has changed.
    pub(super) fn replace(&self, others: Vec<Secret>) -> bool {
        let mut secrets = self.0.write();
        let changed = *secrets != others;
        *secrets = others;
        changed
    }
}

/// Returns the secret that these bytes are. All secrets are compared, so that the time it takes
/// does not show how far the bytes match.
fn find<'a>(secrets: &'a [Secret], bytes: &[u8]) -> Option<&'a Secret> {
    let given = digest(bytes);
    let all = secrets.iter();
    all.fold(None, |found, secret| match secret.is(&given) {
        true => Some(secret),
        false => found,
    })
}

fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_formatted() {
        let secrets = Secrets::new(vec![Secret::new("hunter2")]);
        assert!(!format!("{secrets:?}").contains("hunter"));
        assert!(!secrets.replace(vec![Secret::new("hunter2")]));
        assert!(secrets.replace(vec![Secret::new("other")]));
        assert!(!secrets.have(b"hunter2") && secrets.have(b"other"));
    }

    #[test]
    fn every_secret_is_valid_and_nothing_else() {
        let secrets = Secrets::new(["a", "b", "a"].map(Secret::new).to_vec());
        for (bytes, expected) in [("a", true), ("b", true), ("c", false), ("", false)] {
            assert_eq!(secrets.have(bytes.as_bytes()), expected, "{bytes}");
        }
        assert_eq!(secrets.first(), Some(Secret::new("a")));
        assert!(secrets.are(&["a", "b", "a"].map(Secret::new)));
        assert!(!secrets.are(&["a", "b"].map(Secret::new)));
        assert_eq!(Secrets::new(Vec::new()).first(), None);
    }

    #[test]
    fn secrets_have_names() {
        let secret = |text: &str, name| Secret::new(text).named(name);
        let secrets = Secrets::new(vec![
            secret("a", "alice"),
            Secret::new("b"),
            secret("c", "carol"),
        ]);
        let table = [("a", Some("alice")), ("b", None), ("c", Some("carol"))];
        for (bytes, expected) in table.into_iter().chain([("", None), ("d", None)]) {
            let name = secrets.name_of(bytes.as_bytes());
            assert_eq!(name.as_deref(), expected, "{bytes}");
        }
        assert!(secrets.replace(vec![secret("a", "alex")]));
        assert!(secrets.replace(vec![Secret::new("a")]));
        assert_eq!(secrets.name_of(b"a"), None);
    }

    #[test]
    fn a_digest_must_be_equal_in_every_bit() {
        let secret = Secret::new("a");
        assert!(secret.is(&secret.digest));
        for first in 0..secret.digest.len() {
            let mut other = secret.digest;
            other[first] ^= 1;
            assert!(!secret.is(&other));
            // The same difference in another byte does not compensate for it.
            other[(first + 1) % secret.digest.len()] ^= 1;
            assert!(!secret.is(&other));
        }
    }
}
