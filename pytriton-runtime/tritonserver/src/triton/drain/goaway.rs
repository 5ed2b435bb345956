use std::os::fd::AsFd;

use rustix::net::{SendFlags, Shutdown, send, shutdown};

/// The HTTP/2 frame `GOAWAY`: eight bytes, type 7, stream 0. The last stream is the highest
/// possible one, the error code is `NO_ERROR`.
const GOAWAY: [u8; 17] = [
    0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0,
];

/// The length of the frame, to subtract from the bytes that a connection sends.
pub(super) const LENGTH: u64 = GOAWAY.len() as u64;

/// Sends a `GOAWAY` to the client, between two frames of the server. Returns whether the client was
/// notified or the connection closed.
pub(super) fn send_goaway(connection: impl AsFd) -> bool {
    let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
    match send(&connection, &GOAWAY, flags) {
        Ok(sent) if sent == GOAWAY.len() => true,
        // A partial frame would corrupt everything after it.
        Ok(_) => shutdown(&connection, Shutdown::Both).is_ok(),
        Err(_) => false,
    }
}
