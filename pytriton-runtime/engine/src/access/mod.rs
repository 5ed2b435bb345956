//! Access control: groups of routes that can be restricted, and the secrets that open them.
//!
//! By default a token restricts the same groups as in PyTriton. Users can restrict groups with
//! their own headers, as in tritonserver. Secrets come from files, the environment or options. They
//! are used only for comparison, and passed to a tritonserver that this process starts, but not on
//! its command line.

#[expect(
    clippy::module_inception,
    reason = "the module is named after its main type"
)]
mod access;
mod error;
mod identity_header;
mod options;
mod protocol;
mod restriction;
mod secret;
mod temp_token_file;
#[cfg(test)]
mod tests;
mod token;
mod token_watcher;

pub use access::default_routes;
pub use access::{Access, Closed};
pub use error::AccessError;
pub use identity_header::IdentityHeader;
pub use options::{AccessOptions, Endpoints};
pub use protocol::Protocol;
pub use pytriton_kserve::Group;
pub use restriction::Restriction;
pub use secret::{Secret, Secrets};
pub use token::VARIABLE;
pub use token::base64_url;
pub use token_watcher::Follow;
