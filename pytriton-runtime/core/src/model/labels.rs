use crate::tensor::DataType;

use super::example::fits;

/// The endings of files that contain labels.
const FILES: [&str; 4] = [".csv", ".labels", ".names", ".txt"];

/// The reason why these labels, one per line, are not those of an output with this datatype and
/// these dimensions, which may be unknown.
pub(crate) const fn labels_flaw(
    datatype: DataType,
    dims: Option<&[i64]>,
    labels: &str,
) -> Option<&'static str> {
    if labels.is_empty() {
        return None;
    }
    if let DataType::Bool | DataType::Fp16 | DataType::Bf16 | DataType::Bytes = datatype {
        return Some("no client can request classes of this datatype: remove `labels`");
    }
    let lines = lines(labels.as_bytes());
    if lines == 1 && is_path(labels.as_bytes()) {
        return Some(
            "`labels` is a text with one label per line, not a path: read the file with `labels = include_str!(\"…\")`",
        );
    }
    match dims {
        Some(dims) if !fits(dims, lines) => {
            Some("`labels` must have one line for each element of the output; a line may be empty")
        }
        _ => None,
    }
}

/// The number of lines; the last one may lack its end.
const fn lines(text: &[u8]) -> usize {
    let (mut lines, mut index) = (0, 0);
    while index < text.len() {
        if text[index] == b'\n' || index + 1 == text.len() {
            lines += 1;
        }
        index += 1;
    }
    lines
}

const fn is_path(text: &[u8]) -> bool {
    let mut index = 0;
    while index < FILES.len() {
        if ends_with(text, FILES[index].as_bytes()) {
            return true;
        }
        index += 1;
    }
    false
}

const fn ends_with(text: &[u8], end: &[u8]) -> bool {
    let mut length = 0;
    while length < end.len() {
        length += 1;
        if text.len() < length || text[text.len() - length] != end[end.len() - length] {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_of_lines_fits_the_output() {
        let cases: [(Option<&[i64]>, &str, bool); 14] = [
            (Some(&[3]), "a\nb\nc", true),
            (Some(&[3]), "a\nb\nc\n", true),
            (Some(&[3]), "a\r\n\r\nc\r\n", true),
            (Some(&[3]), "", true),
            (Some(&[3]), "a\nb", false),
            (Some(&[3]), "a\nb\nc\nd", false),
            (Some(&[3]), "a\nb\nc\n\n", false),
            (Some(&[1]), "a", true),
            (Some(&[2, 2]), "a\nb\nc\nd", true),
            (Some(&[2, 2]), "a\nb", false),
            (Some(&[-1]), "a\nb", true),
            (Some(&[-1, 2]), "a\nb\nc\nd", true),
            (Some(&[-1, 2]), "a\nb\nc", false),
            (None, "a\nb\nc", true),
        ];
        for (dims, labels, fits) in cases {
            let flaw = labels_flaw(DataType::Fp32, dims, labels);
            assert_eq!(flaw.is_none(), fits, "{dims:?} {labels:?}: {flaw:?}");
        }
    }

    #[test]
    fn path_is_not_a_label() {
        let one = Some(&[1][..]);
        for path in ["labels.txt", "data/imagenet.csv", ".txt", "coco.names"] {
            for dims in [one, None] {
                let flaw = labels_flaw(DataType::Int32, dims, path).unwrap();
                assert!(flaw.contains("include_str!"), "{path}: {flaw}");
            }
        }
        for label in ["txt", "and/or", "v1.5", "labels.txt\n.csv"] {
            let flaw = labels_flaw(DataType::Int32, None, label);
            assert_eq!(flaw, None, "{label}");
        }
    }

    #[test]
    fn datatype_has_classes() {
        for datatype in DataType::ALL {
            let flaw = labels_flaw(datatype, None, "a\nb");
            let name = datatype.name();
            let classes = !matches!(name, "BOOL" | "FP16" | "BF16" | "BYTES");
            assert_eq!(flaw.is_none(), classes, "{name}");
            assert_eq!(labels_flaw(datatype, None, ""), None, "{name}");
        }
    }
}
