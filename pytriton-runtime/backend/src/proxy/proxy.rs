use std::env;
use std::path::PathBuf;

use crate::failure::Failure;
use crate::ffi::{Batch, Executor};
use crate::instance::Instance;
use crate::session::{Hello, Token};

use super::failure::failure;
use super::link::Link;
use super::load::Load;
use super::remote::Remote;
use super::route::Route;

/// The environment variable with the path of the worker's socket.
pub const SOCKET_VARIABLE: &str = "PYTRITON_WORKER_SOCKET";
/// The environment variable with the token.
pub const TOKEN_VARIABLE: &str = "PYTRITON_WORKER_TOKEN";

/// An instance in tritonserver whose function runs in the worker.
#[derive(Debug)]
pub struct Proxy {
    route: Route,
    _load: Load,
}

impl Proxy {
    /// Connects to an instance behind the worker's socket at `path`.
    pub(super) fn connect(
        instance: &Instance,
        (path, token): (PathBuf, Token),
    ) -> Result<Self, Failure> {
        let load = Load::register(instance.loaded_model);
        let hello = Hello {
            token,
            model: instance.model.clone(),
            version: instance.version,
            load: load.number(),
        };
        let link = Link::connect(path, hello, instance.loaded_model);
        let remote = Remote::new(link.map_err(|error| failure(&error))?);
        Ok(Self {
            route: Route::new(remote, load.number()),
            _load: load,
        })
    }
}

impl Executor for Proxy {
    fn start(instance: &Instance) -> Result<Self, Failure> {
        let variable = |name: &str| {
            env::var(name).map_err(|error| Failure::internal(format!("{name}: {error}")))
        };
        let path = PathBuf::from(variable(SOCKET_VARIABLE)?);
        let token = Token::from_text(&variable(TOKEN_VARIABLE)?);
        let token = token.ok_or_else(|| Failure::internal("the worker's token is invalid"))?;
        Self::connect(instance, (path, token))
    }

    fn execute(&self, batch: Batch) {
        self.route.execute(batch);
    }

    fn is_ready(&self) -> bool {
        self.route.is_ready()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.route.stop();
    }
}
