use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;

use crate::engine::EngineChoice;
use crate::registry::Registry;
use crate::shared_state::{DuplicateState, SharedStates};

#[cfg(feature = "embedded")]
use super::cli::EngineParts;
use super::{Options, ServerError, Triton};

/// Configures a [`Triton`].
///
/// Options set here take precedence over the environment (`PYTRITON_…`). The environment takes
/// precedence over the file named by `--config` or `PYTRITON_CONFIG`, and the file over the
/// defaults.
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
    states: SharedStates,
    duplicate: Option<DuplicateState>,
    #[cfg(feature = "embedded")]
    pub(super) parts: EngineParts<()>,
    #[cfg(feature = "test-util")]
    pub(super) paused: bool,
}

type Change = Box<dyn FnOnce(&mut Options) + Send>;

impl Triton {
    /// Returns a builder. Its defaults come from the environment.
    pub fn builder() -> Builder {
        Builder::default()
    }
}

impl Builder {
    /// Adds command-line arguments, such as options that are passed on to tritonserver.
    pub fn arguments<A: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Changes the options. If several calls change the same option, the last one wins.
    pub fn options(mut self, change: impl FnOnce(&mut Options) + Send + 'static) -> Self {
        self.changes.push(Box::new(change));
        self
    }

    /// Selects the engine.
    pub fn engine(self, engine: EngineChoice) -> Self {
        self.options(move |options| options.triton.engine = engine)
    }

    /// Uses a free port for HTTP, gRPC, metrics, the OpenAI routes and the docs page.
    /// [`Triton::addresses`] returns the ports.
    pub fn free_ports(self) -> Self {
        self.options(|options| {
            options.http_port = 0;
            options.grpc_port = 0;
            options.metrics_port = 0;
            options.openai_port = Some(0);
            options.docs_port = Some(0);
        })
    }

    /// Provides a state that all functions with a parameter `&Arc<T>` share. [`Cli::state`] does so
    /// for the models of a command line.
    ///
    /// [`Cli::state`]: super::Cli::state
    pub fn state<T: Send + Sync + 'static>(mut self, state: Arc<T>) -> Self {
        if let Err(duplicate) = self.states.insert(state) {
            self.duplicate.get_or_insert(duplicate);
        }
        self
    }

    /// Reads the options. Starts nothing.
    ///
    /// # Errors
    ///
    /// Returns [`ServerError::Options`] if an argument or an environment variable is invalid,
    /// [`ServerError::DuplicateState`] if two states have the same type, and
    /// `ServerError::Metrics` if a metric of the program has a name of the server.
    pub fn build(self) -> Result<Triton, ServerError> {
        if let Some(duplicate) = self.duplicate {
            return Err(duplicate.into());
        }
        let mut options = Options::parse(self.arguments)?;
        for change in self.changes {
            change(&mut options);
        }
        let states = Arc::new(self.states);
        let triton = Triton::with(options, Registry::default()).sharing(Arc::clone(&states));
        #[cfg(feature = "embedded")]
        let triton = {
            let mut parts = self.parts;
            let metrics = parts.take_metrics()?;
            triton.extended(parts.extensions(&Arc::new(()), &states, metrics))
        };
        #[cfg(feature = "test-util")]
        let triton = triton.paused(self.paused);
        Ok(triton)
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("arguments", &self.arguments.len())
            .finish_non_exhaustive()
    }
}
