//! What the allocator keeps for later, given back to the system.

/// Gives the free memory of all heaps back; glibc keeps it, other allocators are left alone.
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
