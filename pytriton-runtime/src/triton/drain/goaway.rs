use std::os::fd::AsFd;

use rustix::net::{SendFlags, Shutdown, send, shutdown};

/// HTTP/2's frame that sends a client away in peace: eight bytes, of type 7, for the connection as a whole (stream 0); the
/// last stream that is answered is the highest there can be, the error is none.
const GOAWAY: [u8; 17] = [
    0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0,
];

/// How many bytes of what a connection sends are ours.
pub(super) const LENGTH: u64 = GOAWAY.len() as u64;

/// Tells the client of a connection to go away, between two frames of the server's; returns whether it was told.
pub(super) fn tell(connection: impl AsFd) -> bool {
    let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
    match send(&connection, &GOAWAY, flags) {
        Ok(sent) if sent == GOAWAY.len() => true,
        // Half a frame would garble all that follows.
        Ok(_) => shutdown(&connection, Shutdown::Both).is_ok(),
        Err(_) => false,
    }
}
