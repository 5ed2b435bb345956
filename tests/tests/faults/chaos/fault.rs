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

/// What happens to a server whose worker lives on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    /// SIGKILL to tritonserver.
    Kill,
    /// SIGSEGV to tritonserver, which may dump its core.
    Crash,
    /// tritonserver has died of a fault of its own.
    Own,
    /// SIGSTOP to tritonserver, and SIGCONT.
    StopServer,
    /// The same to the worker.
    StopWorker,
    /// A session breaks.
    SeverOne,
    /// All sessions break.
    SeverAll,
    /// The worker gets no descriptor, also for what breaks meanwhile.
    NoDescriptorWorker,
    /// tritonserver gets none.
    NoDescriptorServer,
    /// The worker gets no shared memory.
    NoMemoryWorker,
    /// tritonserver gets none.
    NoMemoryServer,
    /// Clients over HTTP go away in the middle of a request.
    LeaveHttp,
    /// Clients over gRPC are killed.
    LeaveGrpc,
}

/// What tritonserver 2.51 lives through, each as often as it stands here.
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

/// What it has to live through while calls over gRPC are taken back, of which it may die: its front forgets what it still
/// needs of a call that is taken back as it arrives or as it is answered.
pub(super) const WITH_CANCELLED_CALLS: [Fault; 7] = [
    Fault::Kill,
    Fault::StopServer,
    Fault::StopWorker,
    Fault::SeverOne,
    Fault::SeverAll,
    Fault::LeaveHttp,
    Fault::LeaveGrpc,
];

/// The most that a stop takes, and how many of them take longer than an error may.
const STOP: Duration = Duration::from_millis(200);
const LONG_STOP: Duration = Duration::from_millis(1500);
const ONE_OF: usize = 6;

/// How long a limit is low at most.
const LIMITED: Duration = Duration::from_millis(600);

/// Nothing that is not there already.
const NO_MORE: u64 = 3;

impl Fault {
    /// Whether tritonserver is started anew.
    pub(super) fn is_deadly(self) -> bool {
        matches!(self, Self::Kill | Self::Crash | Self::Own)
    }

    /// Whether a request may have an error from it.
    pub(super) fn fails(self) -> bool {
        let stops = matches!(self, Self::StopServer | Self::StopWorker);
        !stops && !matches!(self, Self::LeaveHttp | Self::LeaveGrpc)
    }

    /// Whether an answer, or an error, may take longer from it than a second.
    pub(super) fn delays(self) -> bool {
        let stops = matches!(self, Self::StopServer | Self::StopWorker);
        stops || self.is_deadly() || self == Self::NoDescriptorServer
    }

    /// Lets it happen; returns when it is over.
    pub(super) fn happen(
        self,
        server: &Server,
        narrow: &Region,
        random: &mut Random,
    ) -> Result<()> {
        let worker = server.pid();
        // Otherwise it has just died of something else, which is found afterwards.
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

/// Sends requests, some of them in part, and reads no answer.
fn leave(address: &str, random: &mut Random) -> Result<()> {
    let body = br#"{"inputs":[{"name":"x","datatype":"INT64","shape":[1,1],"data":[1]}]}"#;
    for _ in 0..4 {
        let sent = body.len() - random.below(2) * random.below(body.len());
        let path = "/v2/models/LedgerInFlight/infer";
        http::send(address, path, body.len(), &body[..sent])?;
    }
    Ok(())
}
