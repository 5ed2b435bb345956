use std::os::fd::{AsFd, AsRawFd};

use super::sys;

/// Whether the other end of a socket has been closed, by its process or because that process is gone.
pub fn hung_up(socket: impl AsFd) -> bool {
    let mut descriptor = sys::PollDescriptor {
        descriptor: socket.as_fd().as_raw_fd(),
        events: sys::POLLRDHUP,
        returned: 0,
    };
    // SAFETY: one descriptor of the layout of `struct pollfd`, valid for writes; a timeout of 0 returns at once.
    let ready = unsafe { sys::poll(&raw mut descriptor, 1, 0) };
    // Nothing else was asked for: what is reported is a hang-up, an error or a bad descriptor.
    ready > 0
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn tells_a_closed_end_from_a_silent_and_a_talking_one() {
        let (mut one, two) = UnixStream::pair().unwrap();
        assert!(!hung_up(&two));
        one.write_all(b"x").unwrap();
        assert!(!hung_up(&two));
        drop(one);
        assert!(hung_up(&two));
    }
}
