use std::thread;
use std::time::Duration;

use pytriton_tests::{Result, Server};
use rustix::process::Resource;

use crate::http;
use crate::ledger::Grpc;
use crate::limit::Limit;
use crate::process::{child, signal};
use crate::random::Random;
use crate::region::Region;
use crate::sockets::{Socket, connections};

/// A fault of a server whose worker survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    /// SIGKILL to tritonserver.
    Kill,
    /// SIGSEGV to tritonserver, which may write a core dump.
    Crash,
    /// tritonserver has crashed because of a bug of its own.
    Own,
    /// SIGSTOP and SIGCONT to tritonserver.
    StopServer,
    /// SIGSTOP and SIGCONT to the worker.
    StopWorker,
    /// One session breaks.
    SeverOne,
    /// All sessions break.
    SeverAll,
    /// The worker gets no descriptors, not even for sessions that break meanwhile.
    NoDescriptorWorker,
    /// tritonserver gets no descriptors.
    NoDescriptorServer,
    /// The worker gets no shared memory.
    NoMemoryWorker,
    /// tritonserver gets no shared memory.
    NoMemoryServer,
    /// HTTP clients disconnect in the middle of a request.
    LeaveHttp,
    /// gRPC clients are killed.
    LeaveGrpc,
}

/// The faults that tritonserver 2.51 must survive, weighted by repetition.
pub(super) const FAULTS: [Fault; 19] = [
    Fault::Kill,
    Fault::Crash,
    Fault::StopServer,
    Fault::StopServer,
    Fault::StopWorker,
    Fault::StopWorker,
    Fault::SeverOne,
    Fault::SeverOne,
    Fault::SeverOne,
    Fault::SeverAll,
    Fault::SeverAll,
    Fault::NoDescriptorWorker,
    Fault::NoDescriptorWorker,
    Fault::NoDescriptorServer,
    Fault::NoMemoryWorker,
    Fault::NoMemoryServer,
    Fault::LeaveHttp,
    Fault::LeaveHttp,
    Fault::LeaveHttp,
];

/// The faults together with cancelled gRPC calls, which may crash tritonserver: its front end frees
/// state of a call that is cancelled on arrival or during its response.
pub(super) const WITH_CANCELLED_CALLS: [Fault; 7] = [
    Fault::Kill,
    Fault::StopServer,
    Fault::StopWorker,
    Fault::SeverOne,
    Fault::SeverAll,
    Fault::LeaveHttp,
    Fault::LeaveGrpc,
];

/// The maximum duration of a stop. One of `ONE_OF` stops exceeds the time limit of an error.
const STOP: Duration = Duration::from_millis(200);
const LONG_STOP: Duration = Duration::from_millis(1500);
const ONE_OF: usize = 6;

/// The maximum duration of a lowered limit.
const LIMITED: Duration = Duration::from_millis(600);

/// A limit below the number of open descriptors.
const NO_MORE: u64 = 3;

impl Fault {
    /// Returns whether tritonserver is restarted.
    pub(super) fn is_deadly(self) -> bool {
        matches!(self, Self::Kill | Self::Crash | Self::Own)
    }

    /// Returns whether the fault may make a request fail.
    pub(super) fn fails(self) -> bool {
        let stops = matches!(self, Self::StopServer | Self::StopWorker);
        !stops && !matches!(self, Self::LeaveHttp | Self::LeaveGrpc)
    }

    /// Returns whether the fault may delay a response or an error by more than a second.
    pub(super) fn delays(self) -> bool {
        let stops = matches!(self, Self::StopServer | Self::StopWorker);
        stops || self.is_deadly() || self == Self::NoDescriptorServer
    }

    /// Injects the fault, and returns when it is over.
    pub(super) fn happen(
        self,
        server: &Server,
        narrow: &Region,
        random: &mut Random,
    ) -> Result<()> {
        let worker = server.pid();
        // It has just died of another fault, which is detected later.
        let Some(child) = child(server) else {
            return Ok(());
        };
        match self {
            Self::Kill => signal("KILL", child)?,
            Self::Crash => signal("SEGV", child)?,
            Self::StopServer => stop(child, random)?,
            Self::StopWorker => stop(worker, random)?,
            Self::SeverOne => sever_one(server, random)?,
            Self::SeverAll => connections(server).iter().try_for_each(Socket::sever)?,
            Self::NoDescriptorWorker | Self::NoDescriptorServer => {
                let id = if self == Self::NoDescriptorWorker {
                    worker
                } else {
                    child
                };
                let limit = Limit::lower(id, Resource::Nofile, NO_MORE)?;
                if random.below(2) == 0 {
                    sever_one(server, random)?;
                }
                thread::sleep(random.moment(LIMITED));
                drop(limit);
            }
            Self::NoMemoryWorker | Self::NoMemoryServer => {
                let id = if self == Self::NoMemoryWorker {
                    worker
                } else {
                    child
                };
                let limit = Limit::lower(id, Resource::Fsize, 0)?;
                thread::sleep(random.moment(LIMITED));
                drop(limit);
            }
            Self::LeaveHttp => leave(&server.banner().http, random)?,
            Self::LeaveGrpc => Grpc::start(server, narrow.name(), "all some", random)?.kill()?,
            Self::Own => {}
        }
        Ok(())
    }
}

fn stop(id: u32, random: &mut Random) -> Result<()> {
    let long = random.below(ONE_OF) == 0;
    signal("STOP", id)?;
    thread::sleep(random.moment(if long { LONG_STOP } else { STOP }));
    signal("CONT", id)
}

fn sever_one(server: &Server, random: &mut Random) -> Result<()> {
    let connections = connections(server);
    match connections.get(random.below(connections.len())) {
        Some(connection) => connection.sever(),
        None => Ok(()),
    }
}

/// Sends complete and partial requests without reading the responses.
fn leave(address: &str, random: &mut Random) -> Result<()> {
    let body = br#"{"inputs":[{"name":"x","datatype":"INT64","shape":[1,1],"data":[1]}]}"#;
    for _ in 0..4 {
        let sent = body.len() - random.below(2) * random.below(body.len());
        let path = "/v2/models/LedgerInFlight/infer";
        http::send(address, path, body.len(), &body[..sent])?;
    }
    Ok(())
}
