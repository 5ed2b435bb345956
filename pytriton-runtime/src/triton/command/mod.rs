//! What a tritonserver is told when it is started: a [`Launch`] becomes its command line ([`arguments`]).

mod arguments;
mod endpoints;
mod launch;
mod line;

pub use arguments::arguments;
pub use endpoints::Endpoints;
pub use launch::Launch;
pub use line::UnknownFlag;
