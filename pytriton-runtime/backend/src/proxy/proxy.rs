use std::env;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::failure::{Code, Failure};
use crate::ffi::{Batch, Executor, Instance};
use crate::gather::Gathering;
use crate::readiness::{self, Ready};
use crate::session::{Hello, SessionError, Token};

use super::link::Link;
use super::load::Load;

/// The environment variable that names the worker's socket.
pub const SOCKET_VARIABLE: &str = "PYTRITON_WORKER_SOCKET";
/// The environment variable that carries the token.
pub const TOKEN_VARIABLE: &str = "PYTRITON_WORKER_TOKEN";

/// An instance in tritonserver whose function runs in the worker.
#[derive(Debug)]
pub struct Proxy {
    remote: Arc<Remote>,
    _load: Load,
}

/// What runs an instance's batches, and those of the model's other instances while theirs cannot.
#[derive(Debug)]
struct Remote {
    link: Arc<Link>,
    /// Of the batch that is being handed over.
    gathering: Mutex<Gathering>,
}

impl Executor for Proxy {
    fn start(instance: &Instance) -> Result<Self, Failure> {
        let variable = |name: &str| {
            env::var(name).map_err(|error| Failure::internal(format!("{name}: {error}")))
        };
        let path = PathBuf::from(variable(SOCKET_VARIABLE)?);
        let token = Token::from_text(&variable(TOKEN_VARIABLE)?);
        let load = Load::enter(instance.loaded_model);
        let hello = Hello {
            token: token.ok_or_else(|| Failure::internal("the worker's token is none"))?,
            model: instance.model.clone(),
            version: instance.version,
            load: load.number(),
        };
        let link = Link::connect(path, hello).map_err(|error| failure(&error))?;
        let gathering = Mutex::new(Gathering::new(link.names(), Arc::clone(link.lost())));
        let remote = Arc::new(Remote { link, gathering });
        readiness::note(Arc::<Remote>::downgrade(&remote));
        Ok(Self {
            remote,
            _load: load,
        })
    }

    fn execute(&self, batch: Batch) {
        if !self.remote.is_ready()
            && let Some(other) = readiness::other(self.remote.model())
        {
            return other.execute(batch);
        }
        self.remote.execute(batch);
    }

    fn is_ready(&self) -> bool {
        self.remote.is_ready()
    }
}

impl Ready for Remote {
    fn model(&self) -> (&str, u64) {
        self.link.model()
    }

    fn is_ready(&self) -> bool {
        self.link.is_ready()
    }

    fn execute(&self, mut batch: Batch) {
        // Whatever a panic leaves behind is written anew for each batch.
        let gathering = self.gathering.lock();
        let mut gathering = gathering.unwrap_or_else(PoisonError::into_inner);
        match self.link.session() {
            Some(session) => session.execute(batch, &mut gathering),
            None => {
                batch.fail_all(&failure(&SessionError::Closed));
                batch.send();
            }
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.remote.link.stop();
    }
}

/// What clients hear of it.
pub(super) fn failure(error: &SessionError) -> Failure {
    let code = match error {
        SessionError::Closed
        | SessionError::Unavailable
        | SessionError::Memory(_)
        | SessionError::Io(_) => Code::Unavailable,
        SessionError::Protocol(_) | SessionError::Refused(_) => Code::Internal,
    };
    Failure::new(code, error.to_string())
}
