use std::fmt;
use std::hint::black_box;
use std::sync::{PoisonError, RwLock};

use sha2::{Digest, Sha256};

/// What opens a lock. Nothing shows it but [`expose`](Self::expose).
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    text: Box<str>,
    digest: [u8; 32],
}

/// The secrets that open a lock, each of them alone. They can change at any time.
#[derive(Debug)]
pub struct Secrets(RwLock<Vec<Secret>>);

impl Secret {
    /// The secret of that text.
    pub fn new(text: &str) -> Self {
        Self {
            text: text.into(),
            digest: digest(text.as_bytes()),
        }
    }

    /// The text itself.
    pub fn expose(&self) -> &str {
        &self.text
    }

    /// Whether it has that digest. How long that takes to say tells neither how long the secret is nor how it begins: digests
    /// are as long as each other, and all of them is compared.
    fn is(&self, given: &[u8; 32]) -> bool {
        let pairs = self.digest.iter().zip(given);
        // Whatever the compiler knows of it, it looks at each byte.
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
    /// These secrets.
    pub fn new(secrets: Vec<Secret>) -> Self {
        Self(RwLock::new(secrets))
    }

    /// Whether these bytes are one of the secrets.
    ///
    /// # Examples
    ///
    /// ```
    /// # use pytriton_runtime::access::{Secret, Secrets};
    /// let secrets = Secrets::new(vec![Secret::new("a=b"), Secret::new("c")]);
    /// assert!(secrets.have(b"a=b"));
    /// assert!(secrets.have(b"c"));
    /// assert!(!secrets.have(b"a=b "));
    /// assert!(!secrets.have(b""));
    /// ```
    pub fn have(&self, bytes: &[u8]) -> bool {
        let given = digest(bytes);
        let secrets = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let all = secrets.iter();
        all.fold(false, |found, secret| found | secret.is(&given))
    }

    /// The first of them, which is what others are told.
    pub fn first(&self) -> Option<Secret> {
        let secrets = self.0.read().unwrap_or_else(PoisonError::into_inner);
        secrets.first().cloned()
    }

    /// Whether these are what opens.
    pub(super) fn are(&self, others: &[Secret]) -> bool {
        *self.0.read().unwrap_or_else(PoisonError::into_inner) == others
    }

    /// From now on these open, and no others; whether any is another.
    pub(super) fn replace(&self, others: Vec<Secret>) -> bool {
        let mut secrets = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let changed = *secrets != others;
        *secrets = others;
        changed
    }
}

fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_shown_of_it() {
        let secrets = Secrets::new(vec![Secret::new("hunter2")]);
        assert!(!format!("{secrets:?}").contains("hunter"));
        assert!(!secrets.replace(vec![Secret::new("hunter2")]));
        assert!(secrets.replace(vec![Secret::new("other")]));
        assert!(!secrets.have(b"hunter2") && secrets.have(b"other"));
    }
}
