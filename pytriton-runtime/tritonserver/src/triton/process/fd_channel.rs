use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::time::Duration;

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags, recvmsg, send};

/// The timeout for a child to pass a descriptor. A stopped child does not respond.
const RECEIVE_TIMEOUT: Duration = Duration::from_secs(2);

/// A channel to a child that passes its descriptors: our backend in the child serves it on standard
/// input.
#[derive(Debug)]
pub struct FdChannel(UnixStream);

impl FdChannel {
    /// Returns a channel, and the standard input for the child.
    ///
    /// # Errors
    ///
    /// Returns the system's error if it provides no socket pair.
    pub fn new() -> io::Result<(Self, Stdio)> {
        let (ours, theirs) = UnixStream::pair()?;
        ours.set_read_timeout(Some(RECEIVE_TIMEOUT))?;
        Ok((Self(ours), OwnedFd::from(theirs).into()))
    }

    /// Sends the child a message, which it reads before it passes descriptors.
    ///
    /// # Errors
    ///
    /// Returns the system's error.
    pub fn send_message(&self, mut message: &[u8]) -> io::Result<()> {
        while !message.is_empty() {
            let sent = send(&self.0, message, SendFlags::NOSIGNAL)?;
            message = message.get(sent..).unwrap_or_default();
        }
        Ok(())
    }

    /// Returns a duplicate of a descriptor of the child, or `None` if the number is not open.
    ///
    /// As long as the duplicate lives, closing the original does not close the file.
    ///
    /// # Errors
    ///
    /// Returns the system's error if the child does not respond. The channel must not be used after
    /// that.
    pub fn duplicate(&self, number: RawFd) -> io::Result<Option<OwnedFd>> {
        send(&self.0, &number.to_ne_bytes(), SendFlags::NOSIGNAL)?;
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut byte = [0];
        let mut vectors = [io::IoSliceMut::new(&mut byte)];
        let received = loop {
            let flags = RecvFlags::CMSG_CLOEXEC;
            match recvmsg(self.0.as_fd(), &mut vectors, &mut ancillary, flags) {
                Err(rustix::io::Errno::INTR) => {}
                other => break other?,
            }
        };
        if received.bytes == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut rights = ancillary.drain().filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(rights) => Some(rights),
            _ => None,
        });
        Ok(rights.next().and_then(|mut rights| rights.next()))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::fd::AsRawFd;

    use super::*;

    #[test]
    fn a_child_that_passes_no_descriptor_is_an_error() {
        let (fd_channel, input) = FdChannel::new().unwrap();
        drop(input);
        assert!(fd_channel.duplicate(0).is_err());
    }

    #[test]
    fn descriptor_is_duplicated_by_number() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let fd_channel = FdChannel(ours);
        let child = std::thread::spawn(move || {
            let mut number = [0; 4];
            (&theirs).read_exact(&mut number).unwrap();
            let (reader, _writer) = io::pipe().unwrap();
            let descriptors = [reader.as_fd()];
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
            let mut ancillary = rustix::net::SendAncillaryBuffer::new(&mut space);
            assert!(ancillary.push(rustix::net::SendAncillaryMessage::ScmRights(&descriptors)));
            let byte = [io::IoSlice::new(b"x")];
            rustix::net::sendmsg(&theirs, &byte, &mut ancillary, SendFlags::empty()).unwrap();
            (&theirs).read_exact(&mut number).unwrap();
            send(&theirs, b"x", SendFlags::empty()).unwrap();
            i32::from_ne_bytes(number)
        });
        let received = fd_channel.duplicate(5).unwrap().unwrap();
        assert!(received.as_raw_fd() > 2);
        assert!(fd_channel.duplicate(-7).unwrap().is_none());
        assert_eq!(child.join().unwrap(), -7);
    }
}
