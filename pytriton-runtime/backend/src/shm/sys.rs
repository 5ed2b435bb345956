//! System calls that `std` does not provide. Numbers and layouts are those of 64-bit Linux.

use std::ffi::{c_char, c_int, c_long, c_uint, c_void};
use std::io;

#[cfg(not(target_pointer_width = "64"))]
compile_error!("shared memory of the tritonserver backend requires 64-bit Linux");

pub(super) const MFD_CLOEXEC: c_uint = 1;
pub(super) const MFD_ALLOW_SEALING: c_uint = 2;
pub(super) const F_ADD_SEALS: c_int = 1033;
pub(super) const F_GET_SEALS: c_int = 1034;
pub(super) const F_SEAL_SEAL: c_int = 1;
pub(super) const F_SEAL_SHRINK: c_int = 2;
pub(super) const F_SEAL_GROW: c_int = 4;
pub(super) const FALLOC_FL_KEEP_SIZE: c_int = 1;
pub(super) const FALLOC_FL_PUNCH_HOLE: c_int = 2;
pub(super) const PROT_READ: c_int = 1;
pub(super) const PROT_WRITE: c_int = 2;
pub(super) const MAP_SHARED: c_int = 1;
pub(super) const MAP_NORESERVE: c_int = 0x4000;
pub(super) const RLIMIT_FSIZE: c_int = 1;
pub(super) const SOL_SOCKET: c_int = 1;
pub(super) const SCM_RIGHTS: c_int = 1;
pub(super) const MSG_NOSIGNAL: c_int = 0x4000;
pub(super) const MSG_CMSG_CLOEXEC: c_int = 0x4000_0000;
pub(super) const FUTEX_WAIT: c_int = 0;
pub(super) const FUTEX_WAKE: c_int = 1;
#[cfg(target_arch = "x86_64")]
pub(super) const SYS_FUTEX: c_long = 202;
/// The number in the kernel's generic table.
#[cfg(any(
    target_arch = "aarch64",
    target_arch = "riscv64",
    target_arch = "loongarch64"
))]
pub(super) const SYS_FUTEX: c_long = 98;
#[cfg(not(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    target_arch = "riscv64",
    target_arch = "loongarch64"
)))]
compile_error!("the number of the system call `futex` is unknown for this architecture");

pub(super) const EPOLL_CLOEXEC: c_int = 0x80000;
pub(super) const EPOLL_CTL_ADD: c_int = 1;
pub(super) const EPOLL_CTL_DEL: c_int = 2;
pub(super) const EPOLLRDHUP: u32 = 0x2000;
pub(super) const EPOLLIN: u32 = 1;
pub(super) const EPOLLONESHOT: u32 = 1 << 30;
pub(super) const EFD_CLOEXEC: c_int = 0x80000;
pub(super) const EFD_NONBLOCK: c_int = 0x800;
pub(super) const MADV_DONTDUMP: c_int = 16;
#[cfg(target_env = "gnu")]
pub(super) const M_TRIM_THRESHOLD: c_int = -1;
#[cfg(target_env = "gnu")]
pub(super) const M_MMAP_THRESHOLD: c_int = -3;

#[derive(Clone, Copy)]
#[cfg_attr(target_arch = "x86_64", repr(C, packed))]
#[cfg_attr(not(target_arch = "x86_64"), repr(C))]
pub(super) struct EpollEvent {
    pub(super) events: u32,
    pub(super) data: u64,
}

#[repr(C)]
pub(super) struct Limit {
    pub(super) current: u64,
    pub(super) maximum: u64,
}

#[repr(C)]
pub(super) struct Timespec {
    pub(super) seconds: i64,
    pub(super) nanoseconds: i64,
}

#[repr(C)]
pub(super) struct IoVector {
    pub(super) base: *mut c_void,
    pub(super) length: usize,
}

#[repr(C)]
pub(super) struct Message {
    pub(super) name: *mut c_void,
    pub(super) name_length: c_uint,
    pub(super) vectors: *mut IoVector,
    pub(super) vector_count: usize,
    pub(super) control: *mut c_void,
    pub(super) control_length: usize,
    pub(super) flags: c_int,
}

unsafe extern "C" {
    pub(super) fn memfd_create(name: *const c_char, flags: c_uint) -> c_int;
    pub(super) fn fcntl(descriptor: c_int, command: c_int, ...) -> c_int;
    pub(super) fn fallocate(descriptor: c_int, mode: c_int, offset: i64, length: i64) -> c_int;
    pub(super) fn getrlimit(resource: c_int, limit: *mut Limit) -> c_int;
    pub(super) fn mmap(
        address: *mut c_void,
        length: usize,
        protection: c_int,
        flags: c_int,
        descriptor: c_int,
        offset: i64,
    ) -> *mut c_void;
    pub(super) fn munmap(address: *mut c_void, length: usize) -> c_int;
    pub(super) fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int;
    pub(super) fn epoll_create1(flags: c_int) -> c_int;
    pub(super) fn epoll_ctl(
        epoll: c_int,
        operation: c_int,
        descriptor: c_int,
        event: *mut EpollEvent,
    ) -> c_int;
    pub(super) fn epoll_wait(
        epoll: c_int,
        events: *mut EpollEvent,
        most: c_int,
        milliseconds: c_int,
    ) -> c_int;
    pub(super) fn eventfd(initial: c_uint, flags: c_int) -> c_int;
    #[cfg(target_env = "gnu")]
    pub(super) fn malloc_trim(pad: usize) -> c_int;
    #[cfg(target_env = "gnu")]
    pub(super) fn mallopt(parameter: c_int, value: c_int) -> c_int;
    pub(super) fn sendmsg(socket: c_int, message: *const Message, flags: c_int) -> isize;
    pub(super) fn recvmsg(socket: c_int, message: *mut Message, flags: c_int) -> isize;
    pub(super) fn syscall(number: c_long, ...) -> c_long;
}

/// Converts the return value of a call that reports errors as -1.
pub(super) fn result<T: PartialOrd + From<i8>>(returned: T) -> io::Result<T> {
    if returned < T::from(0) {
        return Err(io::Error::last_os_error());
    }
    Ok(returned)
}

/// Repeats a call while signals interrupt it.
pub(super) fn uninterrupted<T: PartialOrd + From<i8>>(
    mut call: impl FnMut() -> T,
) -> io::Result<T> {
    loop {
        match result(call()) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}
