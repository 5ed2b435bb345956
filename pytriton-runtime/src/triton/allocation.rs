use std::ffi::OsString;

use crate::heap::{TUNABLES, is_users};

/// Large buffers are mapped for each request, in huge pages, and given back after it; what is smaller is kept.
///
/// glibc itself moves the bound to the size of the largest buffer up to 32 MiB. Then it keeps what is larger, or gives it
/// back page by page, as the order of the buffers has it. docs/memory.md has the measurement.
const LARGE: &str = "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=8388608:glibc.malloc.trim_threshold=16777216";

/// Where Linux says whether a process may have huge pages.
pub(super) const HUGE_PAGES: &str = "/sys/kernel/mm/transparent_hugepage/enabled";

/// The environment variable with which a server's C library keeps memory well; none where the user's says something of
/// it, or where there are no huge pages: without them it is better left alone.
///
/// `user` looks into the user's environment, `huge_pages` is what stands in [`HUGE_PAGES`].
pub(super) fn allocation(
    user: impl Fn(&str) -> Option<OsString>,
    huge_pages: &str,
) -> Option<(&'static str, OsString)> {
    let there = ["[madvise]", "[always]"];
    if !there.iter().any(|word| huge_pages.contains(word)) || is_users(&user) {
        return None;
    }
    let Some(mut tunables) = user(TUNABLES).filter(|tunables| !tunables.is_empty()) else {
        return Some((TUNABLES, LARGE.into()));
    };
    tunables.push(":");
    tunables.push(LARGE);
    Some((TUNABLES, tunables))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_own_values_win() {
        let both = format!("glibc.rtld.nns=5:{LARGE}");
        type Row<'a> = (&'a [(&'a str, &'a str)], Option<&'a str>);
        let table: &[Row<'_>] = &[
            (&[], Some(LARGE)),
            (&[(TUNABLES, "")], Some(LARGE)),
            (&[("MALLOC_ARENA_MAX", "2")], Some(LARGE)),
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
    fn nothing_is_said_where_there_are_no_huge_pages() {
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
