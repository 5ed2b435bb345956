use std::ffi::OsString;

use pytriton_core::heap::{TUNABLES, is_users};

/// glibc tunables: large buffers are mapped per request, in huge pages, and unmapped afterwards.
/// Smaller buffers are kept.
///
/// Without a fixed threshold, glibc raises it to the size of the largest freed buffer, up to 32
/// MiB. From then on it keeps such buffers, or returns them page by page, depending on the order of
/// frees. See docs/memory.md for measurements.
const LARGE_BUFFER_TUNABLES: &str = "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=8388608:glibc.malloc.trim_threshold=16777216";

/// The file in which Linux reports its policy for transparent huge pages.
pub(super) const HUGE_PAGES: &str = "/sys/kernel/mm/transparent_hugepage/enabled";

/// Returns the environment variable that tunes the server's C library.
///
/// Returns `None` if the user's environment already configures the allocator, or if huge pages are
/// unavailable: without them the defaults are better. `user` reads the user's environment;
/// `huge_pages` is the content of [`HUGE_PAGES`].
pub(super) fn allocation(
    user: impl Fn(&str) -> Option<OsString>,
    huge_pages: &str,
) -> Option<(&'static str, OsString)> {
    let enabled = ["[madvise]", "[always]"];
    if !enabled.iter().any(|word| huge_pages.contains(word)) || is_users(&user) {
        return None;
    }
    let Some(mut tunables) = user(TUNABLES).filter(|tunables| !tunables.is_empty()) else {
        return Some((TUNABLES, LARGE_BUFFER_TUNABLES.into()));
    };
    tunables.push(":");
    tunables.push(LARGE_BUFFER_TUNABLES);
    Some((TUNABLES, tunables))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_values_take_precedence() {
        let both = format!("glibc.rtld.nns=5:{LARGE_BUFFER_TUNABLES}");
        type Row<'a> = (&'a [(&'a str, &'a str)], Option<&'a str>);
        let table: &[Row<'_>] = &[
            (&[], Some(LARGE_BUFFER_TUNABLES)),
            (&[(TUNABLES, "")], Some(LARGE_BUFFER_TUNABLES)),
            (&[("MALLOC_ARENA_MAX", "2")], Some(LARGE_BUFFER_TUNABLES)),
            (&[(TUNABLES, "glibc.rtld.nns=5")], Some(&both)),
            (&[(TUNABLES, "glibc.malloc.hugetlb=0")], None),
            (&[("MALLOC_MMAP_THRESHOLD_", "131072")], None),
            (&[("MALLOC_TRIM_THRESHOLD_", "131072")], None),
        ];
        for (user, expected) in table {
            let found = |name: &str| {
                let (_, value) = user.iter().find(|(user, _)| *user == name)?;
                Some(OsString::from(value))
            };
            let expected = expected.map(|value| (TUNABLES, OsString::from(value)));
            assert_eq!(
                allocation(found, "always [madvise] never\n"),
                expected,
                "{user:?}"
            );
        }
    }

    #[test]
    fn nothing_is_logged_without_huge_pages() {
        for (huge_pages, said) in [
            ("always [madvise] never\n", true),
            ("[always] madvise never\n", true),
            ("always madvise [never]\n", false),
            ("", false),
        ] {
            assert_eq!(
                allocation(|_| None, huge_pages).is_some(),
                said,
                "{huge_pages}"
            );
        }
    }
}
