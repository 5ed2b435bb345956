//! Tuning of glibc's allocator. Other allocators are left alone.

#[cfg(target_env = "gnu")]
use super::sys;

/// Larger blocks are allocated from the system and returned to it, as the allocator does by default
/// for those of 32 MiB.
#[cfg(target_env = "gnu")]
const LARGE_BLOCK_BYTES: i32 = 8 << 20;

/// Returns the free memory of the heap to the system.
pub(crate) fn trim() {
    #[cfg(target_env = "gnu")]
    // SAFETY: the call takes an integer and releases only unused memory.
    unsafe {
        sys::malloc_trim(0)
    };
}

/// Makes glibc return large blocks to the system when they are freed.
///
/// By default glibc keeps what a thread has freed at the end of its arena, up to twice its largest
/// block, and no call releases it. If one of its variables is set, the user's choice is respected.
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
            (sys::M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES),
            (sys::M_TRIM_THRESHOLD, 2 * LARGE_BLOCK_BYTES),
        ] {
            // SAFETY: the call takes integers and may be made at any time. A rejected value has no
            // effect.
            unsafe { sys::mallopt(parameter, value) };
        }
    }
}
