//! A tritonserver as the engine of a server: the choice of the installation, the checks of the
//! options, and the start.

pub mod checks;
mod error;
mod find;
mod inspect;
mod start;

pub use error::{FindError, TritonserverError};
pub use find::find;
pub use inspect::{description, install, write_models};
pub use start::start;
