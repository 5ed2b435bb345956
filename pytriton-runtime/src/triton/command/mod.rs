//! The command line of tritonserver: [`arguments`] derives it from a [`Launch`].

mod arguments;
mod endpoints;
mod launch;
mod line;
mod placeholders;

pub use arguments::arguments;
pub use endpoints::Endpoints;
pub use launch::Launch;
pub use line::UnknownFlag;
pub use placeholders::Placeholders;
