use std::ffi::c_int;
use std::io::{self, Read};
use std::os::fd::{AsFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::thread;

use super::{send, sys};

const F_DUPFD_CLOEXEC: c_int = 1030;
/// The lowest number of a duplicate. Lower ones are standard streams.
const LOWEST_DESCRIPTOR: c_int = 3;

/// The stack size of the thread.
#[cfg(pytriton_library)]
const STACK_BYTES: usize = 128 << 10;

/// Passes descriptors of this process to its parent, on a separate thread.
///
/// Standard input must be a Unix socket. Each four bytes from it are the number of a descriptor.
/// The response is a duplicate of it, or none if it is not open. So the parent can manage the
/// connections of its tritonserver even if the system does not let it take descriptors (most
/// containers forbid `pidfd_getfd`).
///
/// # Errors
///
/// Returns an [`io::Error`] if no thread can be started, or if standard input is not a Unix socket.
#[cfg(pytriton_library)]
pub(crate) fn serve_descriptors() -> io::Result<()> {
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    let mut socket = UnixStream::from(input);
    // Fails if it is not a Unix socket.
    socket.local_addr()?;
    thread::Builder::new()
        .name("pytriton-lender".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || while serve_descriptor(&mut socket).is_ok() {})?;
    Ok(())
}

fn serve_descriptor(socket: &mut UnixStream) -> io::Result<()> {
    let mut number = [0; 4];
    socket.read_exact(&mut number)?;
    match copy(c_int::from_ne_bytes(number)) {
        Ok(descriptor) => send(socket, &[descriptor.as_fd()]),
        Err(_) => send(socket, &[]),
    }
}

/// Duplicates a descriptor.
fn copy(number: c_int) -> io::Result<OwnedFd> {
    // SAFETY: the call takes integers. If the descriptor is open, it creates another one and
    // changes nothing else; otherwise it fails.
    let copied = unsafe { sys::fcntl(number, F_DUPFD_CLOEXEC, LOWEST_DESCRIPTOR) };
    let copied = sys::result(copied)?;
    // SAFETY: the call has just opened this descriptor, and nothing else refers to it.
    Ok(unsafe { OwnedFd::from_raw_fd(copied) })
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::AsRawFd;

    use super::super::receive;
    use super::*;

    #[test]
    fn only_open_descriptors_are_sent() {
        let (mut ours, mut theirs) = UnixStream::pair().unwrap();
        let (mut reader, writer) = io::pipe().unwrap();
        let server = thread::spawn(move || while serve_descriptor(&mut theirs).is_ok() {});
        ours.write_all(&writer.as_raw_fd().to_ne_bytes()).unwrap();
        let [copied] = receive::<1>(&ours).unwrap();
        drop(writer);
        std::fs::File::from(copied).write_all(b"x").unwrap();
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "x");
        for number in [-1, c_int::MAX] {
            ours.write_all(&number.to_ne_bytes()).unwrap();
            let [] = receive::<0>(&ours).unwrap();
        }
        drop(ours);
        server.join().unwrap();
    }
}
