use std::ffi::c_int;

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

unsafe extern "C" {
    fn clock_gettime(clock: c_int, time: *mut Timespec) -> c_int;
}

const CLOCK_MONOTONIC: c_int = 1;

/// Returns the time of the clock that Triton uses for its statistics, in nanoseconds.
pub fn now() -> u64 {
    let mut time = Timespec {
        seconds: 0,
        nanoseconds: 0,
    };
    // SAFETY: `time` has the layout of `struct timespec` and is valid for writes.
    unsafe { clock_gettime(CLOCK_MONOTONIC, &raw mut time) };
    let seconds = time.seconds.cast_unsigned();
    seconds
        .wrapping_mul(1_000_000_000)
        .wrapping_add(time.nanoseconds.cast_unsigned())
}
