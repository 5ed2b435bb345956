//! What the allocator of glibc keeps; others are left alone.

#[cfg(target_env = "gnu")]
use super::sys;

/// Blocks that are larger come from the system and go back to it, as the allocator itself would have it for those of 32 MiB.
#[cfg(target_env = "gnu")]
const LARGE: i32 = 8 << 20;

/// Gives the heap's free memory back to the system.
pub(crate) fn trim() {
    #[cfg(target_env = "gnu")]
    // SAFETY: the call takes an integer and only gives back what the allocator does not use.
    unsafe {
        sys::malloc_trim(0)
    };
}

/// Lets large blocks go back to the system when they are freed.
///
/// Left to itself glibc keeps what a thread has freed at the end of its arena, up to twice its largest block, and no call
/// gives it back. Whoever has set one of its variables has chosen.
pub fn return_large_blocks() {
    #[cfg(target_env = "gnu")]
    {
        let chosen = [
            "MALLOC_MMAP_THRESHOLD_",
            "MALLOC_TRIM_THRESHOLD_",
            "GLIBC_TUNABLES",
        ];
        if chosen.iter().any(|name| std::env::var_os(name).is_some()) {
            return;
        }
        for (parameter, value) in [
            (sys::M_MMAP_THRESHOLD, LARGE),
            (sys::M_TRIM_THRESHOLD, 2 * LARGE),
        ] {
            // SAFETY: the call takes integers, and may be made at any time. What it refuses stays as it was.
            unsafe { sys::mallopt(parameter, value) };
        }
    }
}
