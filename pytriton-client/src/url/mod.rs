//! Where a server is: `[scheme://]host[:port]`, with the schemes and ports of PyTriton.

mod address;
mod scheme;

pub use address::Address;
pub use scheme::Scheme;
