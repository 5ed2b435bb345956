use std::env;
use std::ffi::OsString;
use std::fmt;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;

use crate::panic::{discard, panic_message};
use crate::registry::Registry;
use crate::server::ServerError;
#[cfg(not(feature = "embedded"))]
use crate::server::embedded::Extensions;
use crate::server::error::first_error;
use crate::server::run::{self, Parts};

#[cfg(feature = "embedded")]
use super::engine_parts::EngineParts;
use super::hooks::BoxError;
use super::new_states::NewStates;
use super::{App, Hooks, Program};

/// The command line of a program that serves its models. `main!` runs it without additions of the
/// program.
///
/// `serve` (the default), `list`, `check`, `install`, `repository`, `completions`, `man` and
/// `--help` work as with `main!`.
pub struct Cli<A = ()> {
    name: &'static str,
    version: &'static str,
    arguments: Option<Vec<OsString>>,
    start: Vec<Hook<A>>,
    stop: Vec<Hook<A>>,
    pub(super) states: NewStates<A>,
    #[cfg(feature = "embedded")]
    pub(super) engine: EngineParts<A>,
    own: PhantomData<fn() -> A>,
}

type Hook<A> = Box<dyn FnOnce(&App<A>) -> Result<(), BoxError> + Send>;

impl Cli {
    /// Creates the command line of a program with this name and version.
    pub fn new(name: &'static str, version: &'static str) -> Self {
        Self::default_of(name, version)
    }

    /// Adds arguments of the program's own, which `serve` and `check` take. `--help` lists them. An
    /// argument with `env` can also be set in the configuration file. Call this method first,
    /// because the functions of the other methods receive the arguments.
    pub fn args<A: clap::Args + Send + Sync + 'static>(self) -> Cli<A> {
        Cli {
            arguments: self.arguments,
            ..Cli::default_of(self.name, self.version)
        }
    }
}

impl<A> Cli<A> {
    fn default_of(name: &'static str, version: &'static str) -> Self {
        Self {
            name,
            version,
            arguments: None,
            start: Vec::new(),
            stop: Vec::new(),
            states: NewStates::default(),
            #[cfg(feature = "embedded")]
            engine: EngineParts::default(),
            own: PhantomData,
        }
    }

    /// Calls a function when all models are ready and the ports are open. If it returns an error
    /// or panics, the server stops. Signals are handled after it returns.
    pub fn on_start<F>(mut self, hook: F) -> Self
    where
        F: FnOnce(&App<A>) -> Result<(), BoxError> + Send + 'static,
    {
        self.start.push(Box::new(hook));
        self
    }

    /// Calls a function when the server has stopped, after the last response, even if a function of
    /// [`on_start`](Self::on_start) failed. If it returns an error or panics, the exit code
    /// is 1, and the next function is called.
    pub fn on_stop<F>(mut self, hook: F) -> Self
    where
        F: FnOnce(&App<A>) -> Result<(), BoxError> + Send + 'static,
    {
        self.stop.push(Box::new(hook));
        self
    }

    /// Sets the arguments, without the name of the program. By default, they are those of the
    /// process.
    pub fn arguments<T: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = T>) -> Self {
        self.arguments = Some(arguments.into_iter().map(Into::into).collect());
        self
    }
}

impl<A: clap::Args + Send + Sync + 'static> Cli<A> {
    /// Runs the command line. Exits the process after printing help, the version or an error in
    /// the command line.
    ///
    /// The exit code is 0 for success, 1 for a failure, and 2 for an error in the command line or
    /// in a configuration file.
    pub fn run(mut self) -> ExitCode {
        if let Some(folder) = run::core_to_describe(env::args_os()) {
            return run::describe_core(&folder);
        }
        let program = match Program::new::<A>(self.name, self.version) {
            Ok(program) => program,
            Err(clash) => return run::usage_error(&clash),
        };
        let arguments = match self.arguments.take() {
            Some(arguments) => [self.name.into()].into_iter().chain(arguments).collect(),
            None => env::args_os().collect(),
        };
        let line = match program.read(arguments) {
            Ok(line) => line,
            Err(mistakes) => return run::usage_error(&mistakes),
        };
        run::run(
            &program,
            line,
            |matches, registry| match A::from_arg_matches(matches) {
                Ok(own) => self.parts(Arc::new(own), registry),
                Err(error) => error.exit(),
            },
        )
    }

    /// Returns what the program adds to the server.
    fn parts(self, own: Arc<A>, registry: &Registry) -> Result<Parts, ServerError> {
        let Self {
            states,
            start,
            stop,
            #[cfg(feature = "embedded")]
            mut engine,
            ..
        } = self;
        states.check(registry)?;
        #[cfg(feature = "embedded")]
        let metrics = engine.take_metrics()?;
        let states = Arc::new(states.create(&own)?);
        #[cfg(feature = "embedded")]
        let extensions = engine.extensions(&own, &states, metrics);
        #[cfg(not(feature = "embedded"))]
        let extensions = Extensions::default();
        let shared = Arc::clone(&states);
        let hooks = Hooks::new(move |started| {
            let app = App::new(
                own,
                shared,
                started.addresses,
                started.engine.local_models(),
            );
            let done = call_start(start, &app);
            (done, Box::new(move || call_stop(stop, &app)))
        });
        Ok(Parts {
            hooks,
            extensions,
            states,
        })
    }
}

/// Calls functions until one fails.
fn call_start<A>(hooks: Vec<Hook<A>>, app: &App<A>) -> Result<(), ServerError> {
    hooks
        .into_iter()
        .try_for_each(|hook| call("start", hook, app))
}

/// Calls all functions: each may release something of its own.
fn call_stop<A>(hooks: Vec<Hook<A>>, app: &App<A>) -> Result<(), ServerError> {
    first_error(hooks.into_iter().map(|hook| call("stop", hook, app)))
}

/// Calls a function of the program. A panic is an error: the server must still stop properly.
fn call<A>(name: &'static str, hook: Hook<A>, app: &App<A>) -> Result<(), ServerError> {
    let called = catch_unwind(AssertUnwindSafe(|| hook(app)));
    let done = called.unwrap_or_else(|panic| {
        let message = format!("it panicked: {}", panic_message(panic.as_ref()));
        discard(panic);
        Err(message.into())
    });
    done.map_err(|source| ServerError::Hook { hook: name, source })
}

impl<A> fmt::Debug for Cli<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cli")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
