use std::collections::{HashMap, HashSet};
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::time::Instant;

use rustix::fs::fstat;
use rustix::net::sockopt::{socket_acceptconn, socket_type};
use rustix::net::{Shutdown, SocketType, getpeername, getsockname, shutdown};

use crate::triton::process::{FdChannel, refuse_connections};

use super::connection::{Connection, Protocol, Snapshot, Step};
use super::cpu_usage::CpuUsage;
use super::goaway;
use super::sockets::{Open, READABLE};
use super::tcp::Tcp;

/// The connections of a tritonserver that is shutting down.
#[derive(Debug)]
pub(in crate::triton) struct Drain {
    fd_channel: Arc<FdChannel>,
    process: u32,
    endpoints: DrainEndpoints,
    /// Sockets by inode; `None` for those that need no attention.
    known: HashMap<u64, Option<Connection>>,
    /// The ports on which tritonserver has listened.
    listening: HashSet<u16>,
    polled: bool,
    http_closed: HttpClosed,
    cpu_usage: CpuUsage,
}

/// The endpoints by protocol. A port that is not listed here speaks HTTP.
#[derive(Debug, Clone, Default)]
pub(in crate::triton) struct DrainEndpoints {
    /// Triton's own HTTP port, which it closes itself. It does not close a platform's port.
    pub(in crate::triton) http: Option<SocketAddr>,
    /// The gRPC port.
    pub(in crate::triton) grpc: Option<SocketAddr>,
    /// Whether gRPC is encrypted. If so, only tritonserver itself can send frames to a client.
    pub(in crate::triton) encrypted: bool,
    /// The metrics port. Its connections are not awaited.
    pub(in crate::triton) metrics: Option<SocketAddr>,
    /// The peer addresses of our own connections.
    pub(in crate::triton) ours: Vec<SocketAddr>,
}

/// Whether tritonserver accepts HTTP connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HttpClosed {
    No,
    /// It accepts none since the last poll, so the next one sees all of them.
    SinceLastPoll,
    /// A socket that was not seen before is that of a refused connection.
    Yes,
}

/// The connections that remain after a poll.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::triton) struct OpenConnections {
    /// HTTP connections.
    pub(in crate::triton) http: usize,
    /// gRPC connections.
    pub(in crate::triton) grpc: usize,
    /// gRPC connections that have been silent for a while.
    pub(in crate::triton) silent: usize,
    /// gRPC connections whose clients are gone, but which tritonserver keeps open.
    pub(in crate::triton) abandoned: usize,
}

impl OpenConnections {
    /// Returns the number of connections.
    pub(in crate::triton) fn all(self) -> usize {
        self.http + self.grpc
    }

    /// Returns the number of connections whose clients may wait for a response.
    pub(in crate::triton) fn awaited(self) -> usize {
        self.all().saturating_sub(self.abandoned)
    }

    /// Returns whether only silent calls are left: open streams without requests, and calls that
    /// tritonserver does not end although their clients are gone.
    pub(in crate::triton) fn is_silent(self) -> bool {
        self.all() > 0 && self.all() == self.silent + self.abandoned
    }
}

impl Drain {
    pub(in crate::triton) fn new(
        fd_channel: Arc<FdChannel>,
        process: u32,
        endpoints: DrainEndpoints,
    ) -> Self {
        Self {
            fd_channel,
            process,
            endpoints,
            known: HashMap::new(),
            listening: HashSet::new(),
            polled: false,
            http_closed: HttpClosed::No,
            cpu_usage: CpuUsage::new(process),
        }
    }

    /// Records that tritonserver no longer accepts HTTP connections.
    pub(in crate::triton) fn http_closed(&mut self) {
        self.http_closed = HttpClosed::SinceLastPoll;
    }

    /// Excludes a connection of ours.
    pub(in crate::triton) fn exclude(&mut self, ours: SocketAddr) {
        self.endpoints.ours.push(ours);
    }

    /// Polls all connections, and takes the step that is possible on each.
    ///
    /// # Errors
    ///
    /// Returns the system's error if tritonserver is gone, or no longer passes its descriptors.
    pub(in crate::triton) fn poll(&mut self) -> io::Result<OpenConnections> {
        let now = Instant::now();
        let open = Open::of(self.process)?;
        let mut left = OpenConnections {
            http: self.classify(&open, now)?,
            ..OpenConnections::default()
        };
        for (number, inode) in &open.sockets {
            let Some(Some(connection)) = self.known.get_mut(inode) else {
                continue;
            };
            match connection.protocol {
                Protocol::Http => left.http += 1,
                Protocol::Grpc => left.grpc += 1,
            }
            let Some(socket) = duplicate(&self.fd_channel, *number, *inode)? else {
                continue;
            };
            let snapshot = Snapshot {
                tcp: Tcp::of(&socket)?,
                awaited: open.awaited.get(number).copied().unwrap_or_default(),
            };
            let done = match connection.next_step(snapshot, now) {
                Step::Wait => None,
                step @ Step::CloseReading => {
                    // An error means that the connection is already gone.
                    let _ = shutdown(&socket, Shutdown::Read);
                    Some(step)
                }
                Step::SendGoaway if self.endpoints.encrypted => None,
                step @ Step::SendGoaway => goaway::send_goaway(&socket).then_some(step),
            };
            if let Some(step) = done {
                connection.done(step);
            }
            match connection.is_abandoned() {
                true => left.abandoned += 1,
                false => left.silent += usize::from(connection.is_silent(now)),
            }
        }
        Ok(left)
    }

    /// Returns whether tritonserver has used no processor time over the recent polls.
    pub(in crate::triton) fn is_idle(&mut self) -> bool {
        self.cpu_usage.is_idle(Instant::now())
    }

    /// Closes the silent connections and returns their number.
    ///
    /// # Errors
    ///
    /// Same as [`poll`](Self::poll).
    pub(in crate::triton) fn close_silent(&mut self) -> io::Result<usize> {
        let (now, mut count) = (Instant::now(), 0);
        for (number, inode) in Open::of(self.process)?.sockets {
            let known = self.known.get_mut(&inode).and_then(Option::as_mut);
            let silent = known.filter(|known| known.is_silent(now) && !known.is_abandoned());
            if let Some(connection) = silent
                && let Some(socket) = duplicate(&self.fd_channel, number, inode)?
            {
                let _ = shutdown(&socket, Shutdown::Both);
                connection.mark_abandoned();
                count += 1;
            }
        }
        Ok(count)
    }

    /// Classifies new sockets, and stops accepting gRPC connections. Returns the number of sockets
    /// that cannot be classified yet.
    fn classify(&mut self, open: &Open, now: Instant) -> io::Result<usize> {
        let existing: HashSet<u64> = open.sockets.iter().map(|(_, inode)| *inode).collect();
        self.known.retain(|inode, _| existing.contains(inode));
        let (mut unclassified, mut accepted) = (0, Vec::new());
        let mut listener_seen = self.polled;
        for (number, inode) in &open.sockets {
            if self.known.contains_key(inode) {
                continue;
            }
            let Some(socket) = duplicate(&self.fd_channel, *number, *inode)? else {
                unclassified += 1;
                continue;
            };
            self.known.insert(*inode, None);
            let Some(port) = local_port(&socket) else {
                continue;
            };
            if socket_acceptconn(&socket)? {
                listener_seen |= open.awaits(*number, READABLE);
                self.listening.insert(port);
                if is_at(self.endpoints.grpc, port) {
                    shutdown(&socket, Shutdown::Both)?;
                } else if !is_at(self.endpoints.http, port) && !is_at(self.endpoints.metrics, port)
                {
                    // On a listening socket that is shut down, libevent would call `accept` in an
                    // endless loop.
                    refuse_connections(socket.as_fd())?;
                }
            } else if !self.is_ours(&socket) {
                accepted.push((*inode, port, Tcp::of(&socket)?));
            }
        }
        // A listener always awaits events. If that is not visible, the `epoll` state of
        // tritonserver cannot be read.
        if !listener_seen {
            return Err(io::ErrorKind::Unsupported.into());
        }
        self.polled = true;
        let http_is_closed = self.http_closed == HttpClosed::Yes;
        if self.http_closed == HttpClosed::SinceLastPoll {
            self.http_closed = HttpClosed::Yes;
        }
        for (inode, port, tcp) in accepted {
            let sent_away = http_is_closed && is_at(self.endpoints.http, port);
            let unwatched = sent_away || is_at(self.endpoints.metrics, port);
            if unwatched || !self.listening.contains(&port) {
                continue;
            }
            let protocol = match is_at(self.endpoints.grpc, port) {
                true => Protocol::Grpc,
                false => Protocol::Http,
            };
            let connection = Connection::new(protocol, tcp, now);
            self.known.insert(inode, Some(connection));
        }
        Ok(unclassified)
    }

    fn is_ours(&self, socket: &OwnedFd) -> bool {
        let peer = getpeername(socket).ok().flatten();
        let peer = peer.and_then(|peer| SocketAddr::try_from(peer).ok());
        let plain = |address: SocketAddr| (address.ip().to_canonical(), address.port());
        let mut ours = self.endpoints.ours.iter();
        peer.is_some_and(|peer| ours.any(|ours| plain(*ours) == plain(peer)))
    }
}

/// Returns a duplicate of a descriptor of tritonserver, if it still refers to the same socket.
fn duplicate(fd_channel: &FdChannel, number: RawFd, inode: u64) -> io::Result<Option<OwnedFd>> {
    let socket = fd_channel.duplicate(number)?;
    Ok(socket.filter(|socket| fstat(socket).is_ok_and(|stat| stat.st_ino == inode)))
}

/// Returns the port of a TCP socket.
fn local_port(socket: impl AsFd) -> Option<u16> {
    if socket_type(&socket) != Ok(SocketType::STREAM) {
        return None;
    }
    let address = getsockname(socket).ok()?;
    SocketAddr::try_from(address)
        .ok()
        .map(|address| address.port())
}

fn is_at(address: Option<SocketAddr>, port: u16) -> bool {
    address.is_some_and(|address| address.port() == port)
}
