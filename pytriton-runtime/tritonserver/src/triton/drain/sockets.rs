use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::fd::RawFd;
use std::path::Path;

/// The `epoll` events.
pub(super) const READABLE: u32 = 0x1;
pub(super) const WRITABLE: u32 = 0x4;

/// The descriptors of a process that concern its connections.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Open {
    /// Its sockets: descriptor and inode. The inode identifies the socket when a descriptor is
    /// reused.
    pub(super) sockets: Vec<(RawFd, u64)>,
    /// The awaited `epoll` events, by descriptor.
    pub(super) awaited: HashMap<RawFd, u32>,
}

impl Open {
    /// Reads the descriptors of a process of this user.
    ///
    /// A process that has ended and is not yet reaped has no descriptors. tritonserver always has
    /// some, so their absence does not mean that all of its connections were closed in order.
    ///
    /// # Errors
    ///
    /// Returns the system's error if the process has ended or may not be inspected.
    pub(super) fn of(process: u32) -> io::Result<Self> {
        let folder = format!("/proc/{process}/fd");
        let mut open = Self::default();
        let mut ended = true;
        for entry in fs::read_dir(&folder)?.flatten() {
            ended = false;
            let name = entry.file_name();
            let number = name.to_str().and_then(|name| name.parse().ok());
            // The descriptor may have been closed in the meantime.
            let (Some(number), Ok(target)) = (number, fs::read_link(entry.path())) else {
                continue;
            };
            if let Some(inode) = inode(&target) {
                open.sockets.push((number, inode));
            } else if target.as_os_str() == "anon_inode:[eventpoll]" {
                let info = format!("/proc/{process}/fdinfo/{number}");
                let text = fs::read_to_string(info).unwrap_or_default();
                for (number, events) in text.lines().filter_map(awaited) {
                    *open.awaited.entry(number).or_default() |= events;
                }
            }
        }
        match ended {
            true => Err(io::ErrorKind::NotFound.into()),
            false => Ok(open),
        }
    }

    /// Returns whether the process awaits one of these events on a socket.
    pub(super) fn awaits(&self, number: RawFd, events: u32) -> bool {
        let awaited = self.awaited.get(&number);
        awaited.is_some_and(|awaited| awaited & events > 0)
    }
}

/// Parses `socket:[123]`.
fn inode(target: &Path) -> Option<u64> {
    let text = target.to_str()?.strip_prefix("socket:[")?;
    text.strip_suffix(']')?.parse().ok()
}

/// Parses `tfd:       24 events:       19 data: …`.
fn awaited(line: &str) -> Option<(RawFd, u32)> {
    let mut words = line.strip_prefix("tfd:")?.split_whitespace();
    let number = words.next()?.parse().ok()?;
    let events = words.nth(1)?;
    Some((number, u32::from_str_radix(events, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::thread;
    use std::time::{Duration, Instant};

    use crate::triton::process::ProcessStat;

    use super::*;

    #[test]
    fn epoll_entries_of_the_kernel_are_parsed() {
        let line = "tfd:       24 events:       19 data:                4  pos:0 ino:4dc8 sdev:8";
        assert_eq!(awaited(line), Some((24, 0x19)));
        for line in ["pos:\t0", "flags:\t02000002", "tfd: x events: 19", ""] {
            assert_eq!(awaited(line), None, "{line}");
        }
        assert_eq!(inode(Path::new("socket:[4711]")), Some(4711));
        assert_eq!(inode(Path::new("pipe:[4711]")), None);
    }

    #[test]
    fn a_process_that_is_not_reaped_has_ended() {
        let mut child = Command::new("true").spawn().unwrap();
        let deadline = Instant::now() + Duration::from_secs(10);
        while ProcessStat::of(child.id()).is_some_and(ProcessStat::is_running) {
            assert!(Instant::now() < deadline);
            thread::sleep(Duration::from_millis(5));
        }
        assert!(Open::of(child.id()).is_err());
        child.wait().unwrap();
    }

    #[tokio::test]
    async fn polled_sockets_are_detected() {
        use std::os::fd::AsRawFd;

        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let quiet = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let open = Open::of(std::process::id()).unwrap();
        let [read, unread] = [listener.as_raw_fd(), quiet.as_raw_fd()];
        for number in [read, unread] {
            assert!(open.sockets.iter().any(|(other, _)| *other == number));
        }
        assert!(open.awaits(read, READABLE) && !open.awaits(unread, READABLE));
    }
}
