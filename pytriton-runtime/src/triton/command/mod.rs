//! What a tritonserver is told when it is started: a [`Launch`] becomes its command line ([`arguments`]).

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
