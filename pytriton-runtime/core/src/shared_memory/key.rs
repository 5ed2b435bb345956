use super::SharedMemoryError;
use crate::text::excerpt;

/// The prefix of the shared memory of Triton's Python backend.
pub(super) const RESERVED: &str = "triton_python_backend_shm_region_";

/// The maximum length of a file name, and of the slashes before it.
const LONGEST: usize = 255;

/// Returns the file name in the shared-memory directory, like `shm_open`. The result cannot refer
/// to another directory.
///
/// # Errors
///
/// Returns [`SharedMemoryError::Open`] if the key is not a file name, or
/// [`SharedMemoryError::Reserved`].
pub(super) fn file_name<'a>(region: &str, key: &'a str) -> Result<&'a str, SharedMemoryError> {
    let name = key.trim_start_matches('/');
    if name.starts_with(RESERVED) {
        return Err(SharedMemoryError::Reserved {
            name: excerpt(region),
            key: excerpt(key),
        });
    }
    let lengths = [name.len(), key.len() - name.len()];
    let is_name =
        !matches!(name, "" | "." | "..") && lengths.iter().all(|length| *length <= LONGEST);
    match is_name && !name.contains(['/', '\0']) {
        true => Ok(name),
        false => Err(SharedMemoryError::Open { key: excerpt(key) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_a_file_name() {
        let long = "x".repeat(LONGEST);
        let longer = "x".repeat(LONGEST + 1);
        let table = [
            ("a", Some("a")),
            ("/a", Some("a")),
            ("//a", Some("a")),
            ("...", Some("...")),
            ("..a", Some("..a")),
            ("/ a\n", Some(" a\n")),
            (&long, Some(&*long)),
            (&longer, None),
            ("", None),
            ("/", None),
            (".", None),
            ("..", None),
            ("/..", None),
            ("../x", None),
            ("/../etc/passwd", None),
            ("/a/b", None),
            ("a/", None),
            ("a\0b", None),
            ("\0", None),
        ];
        for (key, expected) in table {
            let error = SharedMemoryError::Open { key: excerpt(key) };
            assert_eq!(file_name("r", key), expected.ok_or(error), "{key:?}");
        }
    }

    #[test]
    fn reserved_keys_of_triton_are_refused() {
        for key in [
            "triton_python_backend_shm_region_1",
            "/triton_python_backend_shm_region_2",
            "///triton_python_backend_shm_region_",
        ] {
            let error = file_name("r", key).unwrap_err().to_string();
            let expected = format!(
                "cannot register shared memory region 'r' with key '{key}' as the key contains the reserved prefix '{RESERVED}'"
            );
            assert_eq!(error, expected);
        }
        assert!(file_name("r", "/my_triton_python_backend_shm_region_1").is_ok());
    }
}
