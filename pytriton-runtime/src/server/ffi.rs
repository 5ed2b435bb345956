use std::ffi::c_int;

use rustix::process::Signal;

/// Lets a write beyond `RLIMIT_FSIZE` fail, as one to a full disk does, where it would end this process or tritonserver: a
/// log that may not grow any more is no reason not to serve.
pub(super) fn outlive_file_size_limits() {
    unsafe extern "C" {
        fn signal(number: c_int, handler: usize) -> usize;
    }
    /// `SIG_IGN`, which a child inherits.
    const IGNORE: usize = 1;

    // SAFETY: the call takes two numbers, and the second is `SIG_IGN`, not the address of a function.
    unsafe { signal(Signal::XFSZ.as_raw(), IGNORE) };
}
