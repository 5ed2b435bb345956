use std::fmt;

/// The rule that the name of a tensor violates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameFlaw {
    /// The name is empty.
    Empty,
    /// The name starts with `__` or `triton_`, which Triton reserves.
    Reserved,
    /// The name contains a space, a quote, a backslash or a control character.
    Character,
}

impl NameFlaw {
    /// Returns the rule as text.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Empty => "a tensor needs a name",
            Self::Reserved => "names of tensors that start with `__` or `triton_` are reserved",
            Self::Character => {
                "spaces, quotes, backslashes and control characters are not allowed in the name of a tensor"
            }
        }
    }
}

/// Returns the reason why a text is not a valid name of a tensor.
pub const fn tensor_name_flaw(name: &str) -> Option<NameFlaw> {
    let name = name.as_bytes();
    if name.is_empty() {
        return Some(NameFlaw::Empty);
    }
    if matches!(
        name,
        [b'_', b'_', ..] | [b't', b'r', b'i', b't', b'o', b'n', b'_', ..]
    ) {
        return Some(NameFlaw::Reserved);
    }
    let mut index = 0;
    while index < name.len() {
        if matches!(name[index], 0..=b' ' | b'"' | b'\\' | 127) {
            return Some(NameFlaw::Character);
        }
        index += 1;
    }
    None
}

impl fmt::Display for NameFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}
