//! The command line of tritonserver: [`arguments()`] derives it from a [`Launch`].

mod arguments;
mod command_line;
mod endpoints;
mod launch;
mod placeholders;

pub use arguments::arguments;
pub use command_line::UnknownFlag;
pub use endpoints::Endpoints;
pub use launch::Launch;
pub use placeholders::Placeholders;
