//! Who may ask for what: the groups of routes that can be closed, and the secrets that open them.
//!
//! Closed by default are the groups that PyTriton closes, by a token; others by headers of the user's own, as tritonserver has
//! them. Secrets come from files, the environment or options, and go nowhere but into comparisons, and into a tritonserver that
//! this process starts, past its command line.

#[expect(
    clippy::module_inception,
    reason = "the room and the noun share their name"
)]
mod access;
mod error;
mod follower;
mod group;
mod made;
mod options;
mod protocol;
mod restriction;
mod secret;
mod token;

pub use access::{Access, Closed};
pub use error::AccessError;
pub use follower::Follow;
pub use group::Group;
pub use options::{AccessOptions, Endpoints};
pub use protocol::Protocol;
pub use restriction::Restriction;
pub use secret::{Secret, Secrets};
#[cfg(tritonserver)]
pub(crate) use token::VARIABLE;
#[cfg(feature = "embedded")]
pub(crate) use token::base64_url;
