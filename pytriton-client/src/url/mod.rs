//! Where a server is: `[scheme://]host[:port]`, with the schemes and ports of PyTriton.

mod address;
mod scheme;

pub use address::Address;
pub(crate) use address::shown;
pub use scheme::Scheme;
