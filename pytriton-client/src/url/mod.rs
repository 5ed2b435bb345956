//! Server addresses: `[scheme://]host[:port]`, with PyTriton's schemes and default ports.

mod address;
mod scheme;

pub use address::Address;
pub(crate) use address::shown;
pub use scheme::Scheme;
