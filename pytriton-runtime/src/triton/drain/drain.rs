use std::collections::{HashMap, HashSet};
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::time::Instant;

use rustix::fs::fstat;
use rustix::net::sockopt::{socket_acceptconn, socket_type};
use rustix::net::{Shutdown, SocketType, getpeername, getsockname, shutdown};

use crate::triton::process::{Lender, refuse_connections};

use super::connection::{Connection, Protocol, Sight, Step};
use super::effort::Effort;
use super::goaway;
use super::sockets::{Open, READABLE};
use super::tcp::Tcp;

/// The connections of a tritonserver that stops.
#[derive(Debug)]
pub(in crate::triton) struct Drain {
    lender: Arc<Lender>,
    process: u32,
    places: Places,
    /// What each socket is, by its inode: `None` for what need not be looked at.
    known: HashMap<u64, Option<Connection>>,
    /// The ports at which tritonserver has listened.
    listening: HashSet<u16>,
    looked: bool,
    effort: Effort,
}

/// Where what kind of connections comes in; all that are not named here are of HTTP.
#[derive(Debug, Clone, Default)]
pub(in crate::triton) struct Places {
    /// Where HTTP is spoken on Triton's own port, which it closes itself. A platform's port it does not.
    pub(in crate::triton) http: Option<SocketAddr>,
    /// Where gRPC is spoken.
    pub(in crate::triton) grpc: Option<SocketAddr>,
    /// Whether it is encrypted there: then nobody but tritonserver can tell a client anything.
    pub(in crate::triton) encrypted: bool,
    /// Where nobody is waited for.
    pub(in crate::triton) metrics: Option<SocketAddr>,
    /// Where nobody is let in any more: who comes there now will be sent away.
    pub(in crate::triton) closed: Option<SocketAddr>,
    /// The other ends of connections that are ours.
    pub(in crate::triton) ours: Vec<SocketAddr>,
}

/// What a look has left.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::triton) struct Left {
    /// Connections over HTTP.
    pub(in crate::triton) http: usize,
    /// Connections over gRPC.
    pub(in crate::triton) grpc: usize,
    /// Those of the latter on which nothing has moved for a while.
    pub(in crate::triton) silent: usize,
    /// Those over gRPC whose clients are gone, but which tritonserver keeps open.
    pub(in crate::triton) deserted: usize,
}

impl Left {
    /// How many connections there are.
    pub(in crate::triton) fn all(self) -> usize {
        self.http + self.grpc
    }

    /// On how many of them somebody may wait for something.
    pub(in crate::triton) fn awaited(self) -> usize {
        self.all().saturating_sub(self.deserted)
    }

    /// Whether there are only calls on which nothing moves: streams that are open for requests that nobody makes, and calls
    /// that tritonserver does not end although nobody waits for them.
    pub(in crate::triton) fn is_silent(self) -> bool {
        self.all() > 0 && self.all() == self.silent + self.deserted
    }
}

impl Drain {
    pub(in crate::triton) fn new(lender: Arc<Lender>, process: u32, places: Places) -> Self {
        Self {
            lender,
            process,
            places,
            known: HashMap::new(),
            listening: HashSet::new(),
            looked: false,
            effort: Effort::new(process),
        }
    }

    /// Looks at all connections, and does with each what can be done with it now.
    ///
    /// # Errors
    ///
    /// What the system says when tritonserver is gone, or lends its descriptors no more.
    pub(in crate::triton) fn look(&mut self) -> io::Result<Left> {
        let now = Instant::now();
        let open = Open::of(self.process)?;
        let mut left = Left {
            http: self.place(&open, now)?,
            ..Left::default()
        };
        for (number, inode) in &open.sockets {
            let Some(Some(connection)) = self.known.get_mut(inode) else {
                continue;
            };
            match connection.protocol {
                Protocol::Http => left.http += 1,
                Protocol::Grpc => left.grpc += 1,
            }
            let Some(socket) = borrow(&self.lender, *number, *inode)? else {
                continue;
            };
            let sight = Sight {
                tcp: Tcp::of(&socket)?,
                awaited: open.awaited.get(number).copied().unwrap_or_default(),
            };
            let done = match connection.judge(sight, now) {
                Step::Wait => None,
                step @ Step::CloseReading => {
                    // One that is gone needs nothing.
                    let _ = shutdown(&socket, Shutdown::Read);
                    Some(step)
                }
                Step::Dismiss if self.places.encrypted => None,
                step @ Step::Dismiss => goaway::tell(&socket).then_some(step),
            };
            if let Some(step) = done {
                connection.done(step);
            }
            match connection.is_deserted() {
                true => left.deserted += 1,
                false => left.silent += usize::from(connection.is_silent(now)),
            }
        }
        Ok(left)
    }

    /// Whether tritonserver has computed nothing for a while in which it was asked again and again.
    pub(in crate::triton) fn is_idle(&mut self) -> bool {
        self.effort.is_none(Instant::now())
    }

    /// Breaks off the calls on which nothing moves, and says how many connections have them.
    ///
    /// # Errors
    ///
    /// As [`look`](Self::look).
    pub(in crate::triton) fn hang_up(&mut self) -> io::Result<usize> {
        let (now, mut count) = (Instant::now(), 0);
        for (number, inode) in Open::of(self.process)?.sockets {
            let known = self.known.get_mut(&inode).and_then(Option::as_mut);
            let silent = known.filter(|known| known.is_silent(now) && !known.is_deserted());
            if let Some(connection) = silent
                && let Some(socket) = borrow(&self.lender, number, inode)?
            {
                let _ = shutdown(&socket, Shutdown::Both);
                connection.broken_off();
                count += 1;
            }
        }
        Ok(count)
    }

    /// Finds out what the sockets are that were not there before, and lets nobody else in over gRPC; returns how many of
    /// them it cannot tell yet.
    fn place(&mut self, open: &Open, now: Instant) -> io::Result<usize> {
        let there: HashSet<u64> = open.sockets.iter().map(|(_, inode)| *inode).collect();
        self.known.retain(|inode, _| there.contains(inode));
        let (mut strangers, mut accepted) = (0, Vec::new());
        let mut heard = self.looked;
        for (number, inode) in &open.sockets {
            if self.known.contains_key(inode) {
                continue;
            }
            let Some(socket) = borrow(&self.lender, *number, *inode)? else {
                strangers += 1;
                continue;
            };
            self.known.insert(*inode, None);
            let Some(port) = local_port(&socket) else {
                continue;
            };
            if socket_acceptconn(&socket)? {
                heard |= open.awaits(*number, READABLE);
                self.listening.insert(port);
                if is_at(self.places.grpc, port) {
                    shutdown(&socket, Shutdown::Both)?;
                } else if !is_at(self.places.http, port) && !is_at(self.places.metrics, port) {
                    // libevent would call `accept` without end on a socket that is shut down.
                    refuse_connections(socket.as_fd())?;
                }
            } else if !self.is_ours(&socket) {
                accepted.push((*inode, port, Tcp::of(&socket)?));
            }
        }
        // Who listens waits for somebody: where that is not to be seen, nothing of the kind is.
        if !heard {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let late = self.looked;
        self.looked = true;
        for (inode, port, tcp) in accepted {
            let sent_away = late && is_at(self.places.closed, port);
            let unwatched = sent_away || is_at(self.places.metrics, port);
            if unwatched || !self.listening.contains(&port) {
                continue;
            }
            let protocol = match is_at(self.places.grpc, port) {
                true => Protocol::Grpc,
                false => Protocol::Http,
            };
            let connection = Connection::new(protocol, tcp, now);
            self.known.insert(inode, Some(connection));
        }
        Ok(strangers)
    }

    fn is_ours(&self, socket: &OwnedFd) -> bool {
        let peer = getpeername(socket).ok().flatten();
        let peer = peer.and_then(|peer| SocketAddr::try_from(peer).ok());
        let plain = |address: SocketAddr| (address.ip().to_canonical(), address.port());
        let mut ours = self.places.ours.iter();
        peer.is_some_and(|peer| ours.any(|ours| plain(*ours) == plain(peer)))
    }
}

/// A descriptor of tritonserver's, if it is still that of the same socket.
fn borrow(lender: &Lender, number: RawFd, inode: u64) -> io::Result<Option<OwnedFd>> {
    let lent = lender.lend(number)?;
    Ok(lent.filter(|socket| fstat(socket).is_ok_and(|stat| stat.st_ino == inode)))
}

/// The port of a TCP socket.
fn local_port(socket: impl AsFd) -> Option<u16> {
    if socket_type(&socket) != Ok(SocketType::STREAM) {
        return None;
    }
    let address = getsockname(socket).ok()?;
    SocketAddr::try_from(address)
        .ok()
        .map(|address| address.port())
}

fn is_at(place: Option<SocketAddr>, port: u16) -> bool {
    place.is_some_and(|place| place.port() == port)
}
