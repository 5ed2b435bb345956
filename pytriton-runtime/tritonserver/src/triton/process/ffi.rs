//! System calls for the child process and its sockets, and the version of the C library.
//!
//! Invariant: code between `fork` and `exec` runs in a copy of this process in which only the
//! calling thread exists. It must not allocate, lock, or call anything that is not
//! async-signal-safe. It makes two system calls and reads a number.

#![expect(
    unsafe_code,
    reason = "no safe function asks for a parent-death signal, reads `tcp_info`, or attaches a filter to a socket"
)]

#[cfg(target_env = "gnu")]
use std::ffi::{CStr, c_char};
use std::ffi::{c_int, c_uint, c_ushort};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::{Signal, getppid};

/// Makes the system kill the child when the spawning thread ends, and so when this process dies.
///
/// An orphaned tritonserver would hold its ports until idle clients are gone, while its models died
/// with this process. The next start must find the ports free.
pub(in crate::triton) fn die_with_this_thread(command: &mut Command) {
    let parent = std::process::id();
    let ask = move || {
        #[cfg(target_os = "linux")]
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        // If the parent died before the request was made, the signal would never be sent.
        match getppid().is_some_and(|now| now.as_raw_pid().cast_unsigned() == parent) {
            true => Ok(()),
            false => Err(io::Error::from_raw_os_error(
                rustix::io::Errno::SRCH.raw_os_error(),
            )),
        }
    };
    // SAFETY: the closure makes the system calls `prctl` and `getppid` without libc's wrappers;
    // both are async-signal-safe. It neither allocates nor locks (`from_raw_os_error` stores a
    // number) and accesses no memory except its own copy of `parent`.
    unsafe {
        command.pre_exec(ask);
    }
}

/// Returns the kernel's `struct tcp_info` of a connection. Older kernels return a shorter one.
#[cfg(target_os = "linux")]
pub(in crate::triton) fn tcp_info(socket: BorrowedFd<'_>) -> io::Result<Vec<u8>> {
    unsafe extern "C" {
        fn getsockopt(
            socket: c_int,
            level: c_int,
            name: c_int,
            value: *mut u8,
            length: *mut c_uint,
        ) -> c_int;
    }
    const IPPROTO_TCP: c_int = 6;
    const TCP_INFO: c_int = 11;
    /// More than the fields that are read.
    const LENGTH: c_uint = 200;

    let mut length = LENGTH;
    let mut value = vec![0; LENGTH as usize];
    let (number, pointer) = (socket.as_raw_fd(), value.as_mut_ptr());
    // SAFETY: `socket` is open during the call. `pointer` is valid for writes of `length` bytes and
    // not aliased, and the call writes at most that many. `length` is valid for reads and writes.
    let returned = unsafe { getsockopt(number, IPPROTO_TCP, TCP_INFO, pointer, &raw mut length) };
    if returned != 0 {
        return Err(io::Error::last_os_error());
    }
    value.truncate(length as usize);
    Ok(value)
}

/// Makes the kernel drop all packets to a listening socket. New connections fail; existing ones are
/// unaffected.
#[cfg(target_os = "linux")]
pub(in crate::triton) fn refuse_connections(socket: BorrowedFd<'_>) -> io::Result<()> {
    /// `struct sock_filter`.
    #[repr(C)]
    struct Instruction {
        code: u16,
        jump_if_true: u8,
        jump_if_false: u8,
        value: u32,
    }
    /// `struct sock_fprog`.
    #[repr(C)]
    struct Program {
        length: c_ushort,
        instructions: *const Instruction,
    }
    unsafe extern "C" {
        fn setsockopt(
            socket: c_int,
            level: c_int,
            name: c_int,
            value: *const Program,
            length: c_uint,
        ) -> c_int;
    }
    const SOL_SOCKET: c_int = 1;
    const SO_ATTACH_FILTER: c_int = 26;
    /// `BPF_RET | BPF_K`: keep that many bytes of a packet; zero drops it.
    const RETURN: u16 = 0x06;
    #[expect(clippy::cast_possible_truncation, reason = "16 bytes")]
    const LENGTH: c_uint = size_of::<Program>() as c_uint;

    let drop_all = [Instruction {
        code: RETURN,
        jump_if_true: 0,
        jump_if_false: 0,
        value: 0,
    }];
    let program = Program {
        length: 1,
        instructions: drop_all.as_ptr(),
    };
    let number = socket.as_raw_fd();
    // SAFETY: `socket` is open during the call. The value is a `sock_fprog` of `LENGTH` bytes whose
    // pointer refers to one instruction. The kernel copies both and keeps no pointer.
    let set = unsafe {
        setsockopt(
            number,
            SOL_SOCKET,
            SO_ATTACH_FILTER,
            &raw const program,
            LENGTH,
        )
    };
    match set {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Returns the version of glibc that this process runs with, or `None` for another C library.
pub(in crate::triton) fn glibc_version() -> Option<String> {
    #[cfg(target_env = "gnu")]
    {
        unsafe extern "C" {
            safe fn gnu_get_libc_version() -> *const c_char;
        }
        let text = gnu_get_libc_version();
        // SAFETY: glibc returns a static string that is terminated by a zero byte.
        let text = unsafe { CStr::from_ptr(text) };
        text.to_str().ok().map(str::to_owned)
    }
    #[cfg(not(target_env = "gnu"))]
    None
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsFd;
    use std::time::Duration;

    use super::*;

    #[test]
    fn closed_listener_accepts_no_connection() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let mut before = TcpStream::connect(address).unwrap();
        let (mut accepted, _) = listener.accept().unwrap();
        refuse_connections(listener.as_fd()).unwrap();
        let refused = TcpStream::connect_timeout(&address, Duration::from_millis(200));
        assert!(refused.is_err());
        listener.set_nonblocking(true).unwrap();
        assert!(listener.accept().is_err());
        // An existing connection keeps working.
        io::Write::write_all(&mut before, b"x").unwrap();
        io::Read::read_exact(&mut accepted, &mut [0]).unwrap();
    }
}
