use std::ffi::c_int;

use rustix::process::Signal;

/// Makes a write beyond `RLIMIT_FSIZE` return an error, like a write to a full disk. By default,
/// the signal would terminate this process or tritonserver because of a log file.
pub(super) fn outlive_file_size_limits() {
    unsafe extern "C" {
        fn signal(number: c_int, handler: usize) -> usize;
    }
    /// `SIG_IGN`. Child processes inherit it.
    const IGNORE: usize = 1;

    // SAFETY: the call takes two integers. The second is `SIG_IGN`, not the address of a function.
    unsafe { signal(Signal::XFSZ.as_raw(), IGNORE) };
}
