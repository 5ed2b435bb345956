use std::ffi::OsString;
use std::fmt;

use crate::engine::EngineChoice;
use crate::registry::Registry;

use super::{Options, ServerError, Triton};

/// How a [`Triton`] is to serve.
///
/// What is said here goes before the environment (`PYTRITON_…`), that before the file that `--config` or `PYTRITON_CONFIG` names,
/// and that before the defaults of the command line.
///
/// # Examples
///
/// ```
/// use pytriton_runtime::server::Triton;
///
/// let triton = Triton::builder()
///     .free_ports()
///     .options(|options| options.exit_timeout_secs = 5)
///     .arguments(["--cache-config=local,size=1048576"])
///     .build()
///     .unwrap();
/// assert!(!triton.is_alive());
/// ```
#[derive(Default)]
pub struct Builder {
    arguments: Vec<OsString>,
    changes: Vec<Change>,
}

type Change = Box<dyn FnOnce(&mut Options) + Send>;

impl Builder {
    /// Arguments of the command line: for what is passed on to tritonserver, and for options that are known as text.
    pub fn arguments<A: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Changes the options; the last word is the last call's.
    pub fn options(mut self, change: impl FnOnce(&mut Options) + Send + 'static) -> Self {
        self.changes.push(Box::new(change));
        self
    }

    /// What answers the clients.
    pub fn engine(self, engine: EngineChoice) -> Self {
        self.options(move |options| options.triton.engine = engine)
    }

    /// Any free port for HTTP, gRPC, metrics, OpenAI's routes and the page: [`Triton::addresses`] says which.
    pub fn free_ports(self) -> Self {
        self.options(|options| {
            options.http_port = 0;
            options.grpc_port = 0;
            options.metrics_port = 0;
            options.openai_port = Some(0);
            options.docs_port = Some(0);
        })
    }

    /// Reads the options. Nothing is started yet.
    ///
    /// # Errors
    ///
    /// [`ServerError::Arguments`] for an argument or a variable of the environment that cannot be read.
    pub fn build(self) -> Result<Triton, ServerError> {
        let mut options = Options::parse(self.arguments)?;
        for change in self.changes {
            change(&mut options);
        }
        Ok(Triton::with(options, Registry::default()))
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("arguments", &self.arguments.len())
            .finish_non_exhaustive()
    }
}
