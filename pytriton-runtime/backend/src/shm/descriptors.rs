use std::ffi::c_int;
use std::io;
use std::mem::size_of;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::ptr;

use super::sys;

/// The maximum number of descriptors per message.
const MAX_DESCRIPTORS: usize = 2;
/// `struct cmsghdr`: a length, a level, a type.
const HEADER_BYTES: usize = size_of::<usize>() + 2 * size_of::<c_int>();
const CONTROL_BYTES: usize =
    HEADER_BYTES + (MAX_DESCRIPTORS * size_of::<c_int>()).next_multiple_of(size_of::<usize>());

/// A buffer for ancillary data, aligned like `struct cmsghdr`.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
struct Ancillary([u8; CONTROL_BYTES]);

/// Connects to a socket, and retries when interrupted by signals.
///
/// # Errors
///
/// Returns an [`io::Error`] if the connection is refused.
pub(crate) fn connect(path: &Path) -> io::Result<UnixStream> {
    loop {
        match UnixStream::connect(path) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            connected => return connected,
        }
    }
}

/// Sends one byte together with descriptors.
///
/// # Errors
///
/// Returns an [`io::Error`] if the socket fails, or for more than two descriptors.
pub(crate) fn send(socket: &UnixStream, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    if descriptors.len() > MAX_DESCRIPTORS {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let len = HEADER_BYTES + size_of_val(descriptors);
    let mut ancillary = Ancillary([0; CONTROL_BYTES]);
    let (header, numbers) = ancillary.0.split_at_mut(HEADER_BYTES);
    header[..8].copy_from_slice(&len.to_ne_bytes());
    header[8..12].copy_from_slice(&sys::SOL_SOCKET.to_ne_bytes());
    header[12..].copy_from_slice(&sys::SCM_RIGHTS.to_ne_bytes());
    for (number, descriptor) in numbers
        .chunks_exact_mut(size_of::<c_int>())
        .zip(descriptors)
    {
        number.copy_from_slice(&descriptor.as_raw_fd().to_ne_bytes());
    }
    let mut byte = [0_u8];
    let mut vector = vector(&mut byte);
    let message = message(&mut vector, &mut ancillary, len);
    // SAFETY:
    // - `message` has the layout of `struct msghdr`. Its pointers refer to `vector`, `byte` and
    //   `ancillary`, which outlive the call and have the given lengths.
    // - The descriptors are borrowed during the call.
    let sent = sys::uninterrupted(|| unsafe {
        sys::sendmsg(socket.as_raw_fd(), &raw const message, sys::MSG_NOSIGNAL)
    })?;
    match sent {
        1 => Ok(()),
        _ => Err(io::ErrorKind::WriteZero.into()),
    }
}

/// Receives exactly `N` descriptors, which [`send`] has sent.
///
/// # Errors
///
/// Returns an [`io::Error`] if the peer is gone or sent anything else.
pub(crate) fn receive<const N: usize>(socket: &UnixStream) -> io::Result<[OwnedFd; N]> {
    let mut ancillary = Ancillary([0; CONTROL_BYTES]);
    let mut byte = [0_u8];
    let mut vector = vector(&mut byte);
    let mut message = message(&mut vector, &mut ancillary, CONTROL_BYTES);
    let flags = sys::MSG_CMSG_CLOEXEC;
    // SAFETY: as in `send`; the buffers are valid for writes.
    let received = sys::uninterrupted(|| unsafe {
        sys::recvmsg(socket.as_raw_fd(), &raw mut message, flags)
    })?;
    if received == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let control_length = message.control_length.min(CONTROL_BYTES);
    let received = owned(&ancillary.0[..control_length]);
    received
        .try_into()
        .map_err(|_| io::Error::other("unexpected number of descriptors"))
}

/// Returns the descriptors in received ancillary data. Each is owned from here on, even if it was
/// not expected.
fn owned(ancillary: &[u8]) -> Vec<OwnedFd> {
    let Some((header, numbers)) = ancillary.split_at_checked(HEADER_BYTES) else {
        return Vec::new();
    };
    let mut expected = [0_u8; 8];
    expected[..4].copy_from_slice(&sys::SOL_SOCKET.to_ne_bytes());
    expected[4..].copy_from_slice(&sys::SCM_RIGHTS.to_ne_bytes());
    let Some((len, kind)) = header.split_first_chunk::<8>() else {
        return Vec::new();
    };
    let len = usize::from_ne_bytes(*len).saturating_sub(HEADER_BYTES);
    if kind != expected {
        return Vec::new();
    }
    let (numbers, _) = numbers[..len.min(numbers.len())].as_chunks::<4>();
    let descriptors = numbers.iter().map(|number| {
        // SAFETY: the kernel has just opened this descriptor for the receiver of the message, which
        // is this function.
        unsafe { OwnedFd::from_raw_fd(c_int::from_ne_bytes(*number)) }
    });
    descriptors.collect()
}

fn vector(byte: &mut [u8; 1]) -> sys::IoVector {
    sys::IoVector {
        base: byte.as_mut_ptr().cast(),
        length: byte.len(),
    }
}

fn message(
    vector: &mut sys::IoVector,
    ancillary: &mut Ancillary,
    control_length: usize,
) -> sys::Message {
    sys::Message {
        name: ptr::null_mut(),
        name_length: 0,
        vectors: vector,
        vector_count: 1,
        control: ancillary.0.as_mut_ptr().cast(),
        control_length,
        flags: 0,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::AsFd;

    use super::super::{Arena, View};
    use super::*;

    #[test]
    fn segments_are_sent_over_sockets() {
        let (one, two) = UnixStream::pair().unwrap();
        let mut region = Arena::default().allocate(1).unwrap();
        region.write(0, b"x").unwrap();
        send(&one, &[region.file(), region.file()]).unwrap();
        for descriptor in receive::<2>(&two).unwrap() {
            assert_eq!(
                View::new(&descriptor.into()).unwrap().bytes(0, 1).unwrap(),
                b"x"
            );
        }
    }

    #[test]
    fn unexpected_descriptor_count_is_rejected() {
        let (mut one, two) = UnixStream::pair().unwrap();
        one.write_all(b"x").unwrap();
        assert!(receive::<1>(&two).is_err());
        send(&one, &[two.as_fd()]).unwrap();
        assert!(receive::<2>(&two).is_err());
        drop(one);
        assert!(receive::<1>(&two).is_err());
    }
}
