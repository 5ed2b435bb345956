//! Models of the embedded engine without its ports: called from this process ([`Local`]), or served
//! by a router of the program.

mod block_on;
mod local;
mod router;

pub use local::Local;
pub use pytriton_embedded::Router;
