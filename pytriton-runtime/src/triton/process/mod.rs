//! Supervision of the tritonserver process: start, log, readiness, shutdown, cleanup.

mod child;
mod crash;
mod exit;
mod ffi;
mod lender;
mod line;
mod listener;
mod output;
mod ports;
mod ready;
#[cfg(test)]
mod tests;
mod traffic;
mod workspace;

pub use child::Child;
pub use exit::Exit;
pub(super) use ffi::{die_with_this_thread, glibc_version};
pub(super) use ffi::{refuse_connections, tcp_info};
pub use lender::Lender;
pub use ports::{PortError, Ports};
pub(super) use ready::reachable;
pub use ready::{Late, NotReady, ready};
pub use traffic::{Delivery, undelivered};
pub(super) use workspace::mounted_noexec;
pub use workspace::{Workspace, WorkspaceError};
