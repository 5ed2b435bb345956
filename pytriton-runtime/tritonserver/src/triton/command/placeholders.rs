use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// Secret arguments, and the placeholders that replace them on the command line.
///
/// Every user of the machine can read a command line. Our library in the tritonserver process
/// replaces the placeholders before its `main` runs.
#[derive(Default)]
pub struct Placeholders(Vec<Secret>);

/// A secret argument.
struct Secret {
    flag: &'static str,
    placeholder: OsString,
    argument: OsString,
}

impl Placeholders {
    /// The environment variable that makes our library replace placeholders.
    pub const VARIABLE: &str = "PYTRITON_PLACEHOLDERS";

    /// Stores an argument and returns its placeholder. A placeholder is not a valid option value,
    /// so tritonserver does not start if it is not replaced.
    pub(super) fn hide(&mut self, flag: &'static str, value: &OsStr) -> OsString {
        let placeholder = OsString::from(format!("--{flag}=(hidden {})", self.0.len()));
        let mut argument = OsString::from(format!("--{flag}="));
        argument.push(value);
        self.0.push(Secret {
            flag,
            placeholder: placeholder.clone(),
            argument,
        });
        placeholder
    }

    /// Returns whether there is nothing to replace.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the options (without dashes) that have secret values.
    pub fn flags(&self) -> BTreeSet<&'static str> {
        self.0.iter().map(|secret| secret.flag).collect()
    }

    /// Returns the message for our library: the length in bytes, then placeholders and arguments
    /// alternately, each terminated by a zero byte.
    pub fn message(&self) -> Vec<u8> {
        let mut texts = Vec::new();
        for secret in &self.0 {
            for text in [&secret.placeholder, &secret.argument] {
                texts.extend_from_slice(text.as_bytes());
                texts.push(0);
            }
        }
        // No command line exceeds `u32::MAX` bytes.
        let length = u32::try_from(texts.len()).unwrap_or_default();
        [&length.to_ne_bytes()[..], &texts].concat()
    }
}

impl std::fmt::Debug for Placeholders {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let placeholders = self.0.iter().map(|secret| &secret.placeholder);
        formatter.debug_list().entries(placeholders).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_message_contains_the_secret() {
        let mut placeholders = Placeholders::default();
        let shown = placeholders.hide("x", OsStr::new("secret"));
        assert_eq!(shown, "--x=(hidden 0)");
        assert!(!format!("{placeholders:?}").contains("secret"));
        let message = placeholders.message();
        assert_eq!(message[..4], 26_u32.to_ne_bytes());
        assert_eq!(&message[4..], b"--x=(hidden 0)\0--x=secret\0");
    }
}
