use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// Arguments that must stand on no command line, which anybody on the machine may read; what stands there in their place.
///
/// Our library in the tritonserver replaces them before its `main` runs.
#[derive(Default)]
pub struct Placeholders(Vec<(OsString, OsString)>);

impl Placeholders {
    /// What our library in the tritonserver looks for: there is something to replace.
    pub const VARIABLE: &str = "PYTRITON_PLACEHOLDERS";

    /// Keeps an argument; what is to stand in its place. That is no value of any option: should it ever reach tritonserver it
    /// does not start.
    pub(super) fn hide(&mut self, flag: &str, value: &OsStr) -> OsString {
        let placeholder = OsString::from(format!("--{flag}=(hidden {})", self.0.len()));
        let mut argument = OsString::from(format!("--{flag}="));
        argument.push(value);
        self.0.push((placeholder.clone(), argument));
        placeholder
    }

    /// Whether there is nothing to replace.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What our library reads: how many bytes there are, then placeholders and arguments in turn, each with a zero byte
    /// behind it.
    pub fn message(&self) -> Vec<u8> {
        let mut texts = Vec::new();
        for (placeholder, argument) in &self.0 {
            for text in [placeholder, argument] {
                texts.extend_from_slice(text.as_bytes());
                texts.push(0);
            }
        }
        // No command line is that long.
        let length = u32::try_from(texts.len()).unwrap_or_default();
        [&length.to_ne_bytes()[..], &texts].concat()
    }
}

impl std::fmt::Debug for Placeholders {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let placeholders = self.0.iter().map(|(placeholder, _)| placeholder);
        formatter.debug_list().entries(placeholders).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_is_in_the_message_alone() {
        let mut placeholders = Placeholders::default();
        let shown = placeholders.hide("x", OsStr::new("secret"));
        assert_eq!(shown, "--x=(hidden 0)");
        assert!(!format!("{placeholders:?}").contains("secret"));
        let message = placeholders.message();
        assert_eq!(message[..4], 26_u32.to_ne_bytes());
        assert_eq!(&message[4..], b"--x=(hidden 0)\0--x=secret\0");
    }
}
