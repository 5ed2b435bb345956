//! Tuning of the memory that glibc's allocator keeps. Other allocators are left alone.

use std::ffi::OsString;

/// If one of these variables is set, or `glibc.malloc.…` in [`TUNABLES`], the user has configured
/// the allocator.
const OLDER_NAMES: [&str; 4] = [
    "MALLOC_MMAP_MAX_",
    "MALLOC_MMAP_THRESHOLD_",
    "MALLOC_TOP_PAD_",
    "MALLOC_TRIM_THRESHOLD_",
];

/// The environment variable that configures glibc.
pub const TUNABLES: &str = "GLIBC_TUNABLES";

/// Returns whether the environment configures the allocator. `user` reads the environment.
pub fn is_users(user: impl Fn(&str) -> Option<OsString>) -> bool {
    let tunables = user(TUNABLES).unwrap_or_default();
    tunables.to_string_lossy().contains("glibc.malloc.")
        || OLDER_NAMES.iter().any(|name| user(name).is_some())
}

/// With a smaller budget, the heaps would keep more memory than the budget allows.
const SMALL_BUDGET_BYTES: usize = 256 << 20;

/// Whether the allocator keeps as little as possible, because the budget is small.
pub(crate) fn keeps_little(budget: usize) -> bool {
    cfg!(all(target_os = "linux", target_env = "gnu"))
        && budget < SMALL_BUDGET_BYTES
        && !is_users(|name| std::env::var_os(name))
}

/// Makes the allocator keep the buffers of a request for the next one, unless the user has
/// configured it. [`trim`] returns them to the system. With a small budget, larger buffers return
/// at once.
///
/// By default glibc returns buffers page by page once two of the largest are free, and the next
/// request faults the pages in again. See docs/memory.md for measurements.
pub fn keep(budget: usize) {
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    let _ = budget;
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
        let thresholds = match keeps_little(budget) {
            true => [(MMAP_THRESHOLD, 512 << 10), (TRIM_THRESHOLD, 1 << 20)],
            false => [(MMAP_THRESHOLD, 32 << 20), (TRIM_THRESHOLD, 64 << 20)],
        };
        for (parameter, value) in thresholds.into_iter().chain(arenas) {
            // SAFETY: the call takes two integers, rejects invalid ones, and may be made at any
            // time.
            unsafe { mallopt(parameter, value) };
        }
    }
}

/// Returns the free memory of all heaps to the system.
pub fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        unsafe extern "C" {
            fn malloc_trim(pad: usize) -> std::ffi::c_int;
        }
        // SAFETY: the call takes an integer, may be made at any time, and releases only free
        // memory.
        unsafe { malloc_trim(0) };
    }
}
