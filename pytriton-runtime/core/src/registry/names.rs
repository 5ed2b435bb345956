use pytriton_protocol::signature::{self, NameFlaw};

use super::violation::Violation;

/// The reason why a text is not a valid model name.
pub const fn name_flaw(name: &str) -> Violation {
    let name = name.as_bytes();
    if name.is_empty() || name.len() > 128 {
        return Some("the name of a model must have 1 to 128 characters");
    }
    if matches!(name, b"." | b"..") {
        return Some("`.` and `..` are not valid model names");
    }
    let mut index = 0;
    while index < name.len() {
        let (b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b'-') = name[index] else {
            return Some(
                "only letters, digits, `.`, `_` and `-` are allowed in the name of a model",
            );
        };
        index += 1;
    }
    None
}

/// The reason why a text is not a valid tensor name.
pub const fn tensor_name_flaw(name: &str) -> Violation {
    match signature::tensor_name_flaw(name) {
        None => None,
        Some(NameFlaw::Empty) => Some("a tensor needs a name: write `name = \"INPUT_1\"`"),
        Some(NameFlaw::Reserved) => Some(
            "names of tensors that start with `__` or `triton_` are reserved: write `name = \"INPUT_1\"`",
        ),
        Some(flaw) => Some(flaw.text()),
    }
}

/// The reason why a number is not a valid dimension.
pub const fn dimension_flaw(dimension: i64) -> Violation {
    match dimension {
        -1 | 1.. => None,
        _ => Some("a dimension must be at least 1, or -1 for any size"),
    }
}
