//! The command line of a program, with its own arguments and parts.

mod app;
#[expect(clippy::module_inception, reason = "the type is `Cli`")]
mod cli;
#[cfg(feature = "embedded")]
mod engine_parts;
mod hooks;
mod new_states;
mod own_arguments;
mod program;

pub use app::App;
pub use cli::Cli;
#[cfg(feature = "embedded")]
pub(super) use engine_parts::EngineParts;
pub(super) use hooks::{Hooks, StopHooks};
pub use own_arguments::ArgumentClash;
pub(super) use program::{GivenArguments, Program};
