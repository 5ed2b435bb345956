//! What the allocator keeps for later: glibc's is told how much, other allocators are left alone.

use std::ffi::OsString;

/// Whoever sets one of these in the environment, or `glibc.malloc.…` in [`TUNABLES`], has made up their mind.
const OLDER_NAMES: [&str; 4] = [
    "MALLOC_MMAP_MAX_",
    "MALLOC_MMAP_THRESHOLD_",
    "MALLOC_TOP_PAD_",
    "MALLOC_TRIM_THRESHOLD_",
];

/// Where glibc reads how it is to keep memory.
pub(crate) const TUNABLES: &str = "GLIBC_TUNABLES";

/// Whether the environment, into which `user` looks, says how memory is to be kept.
pub(crate) fn is_users(user: impl Fn(&str) -> Option<OsString>) -> bool {
    let tunables = user(TUNABLES).unwrap_or_default();
    tunables.to_string_lossy().contains("glibc.malloc.")
        || OLDER_NAMES.iter().any(|name| user(name).is_some())
}

/// Keeps the buffers of a request for the next, where the user has not said otherwise; [`trim`] gives them back.
///
/// glibc itself gives them back page by page once two of the largest lie free, and faults them in anew with the next
/// request. docs/memory.md has the measurement.
#[cfg(feature = "embedded")]
pub(crate) fn keep() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if !is_users(|name| std::env::var_os(name)) {
        use std::ffi::c_int;

        unsafe extern "C" {
            fn mallopt(parameter: c_int, value: c_int) -> c_int;
        }
        const TRIM_THRESHOLD: c_int = -1;
        const MMAP_THRESHOLD: c_int = -3;
        const ARENA_MAX: c_int = -8;
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let arenas = c_int::try_from(2 * processors).unwrap_or(c_int::MAX);
        let arenas = std::env::var_os("MALLOC_ARENA_MAX")
            .is_none()
            .then_some((ARENA_MAX, arenas));
        let thresholds = [(MMAP_THRESHOLD, 32 << 20), (TRIM_THRESHOLD, 64 << 20)];
        for (parameter, value) in thresholds.into_iter().chain(arenas) {
            // SAFETY: the call takes two numbers, of which it refuses those that make no sense, and may be made at any
            // time.
            unsafe { mallopt(parameter, value) };
        }
    }
}

/// Gives the free memory of all heaps back.
pub(crate) fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        unsafe extern "C" {
            fn malloc_trim(pad: usize) -> std::ffi::c_int;
        }
        // SAFETY: the call takes a number, may be made at any time, and gives back what nobody uses.
        unsafe { malloc_trim(0) };
    }
}
