//! Who may ask for what: the groups of routes that can be closed, and the secrets that open them.

mod group;
mod secret;

pub use group::Group;
pub use secret::{Secret, Secrets};
