//! Supervision of the tritonserver process: start, log, readiness, shutdown, cleanup.

mod child;
mod crash;
mod delivery;
mod exit_report;
mod fd_channel;
mod ffi;
mod listener;
mod log_file;
mod log_line;
mod output;
mod ports;
mod ready;
mod stat;
#[cfg(test)]
mod tests;
mod workspace;

pub use child::Child;
pub use delivery::{Delivery, undelivered};
pub use exit_report::ExitReport;
pub use fd_channel::FdChannel;
pub(super) use ffi::{die_with_this_thread, glibc_version};
pub(super) use ffi::{refuse_connections, tcp_info};
pub use log_file::LogFile;
pub use ports::{PortError, Ports};
pub(super) use ready::reachable;
pub use ready::{NotReady, StartupTimeout, ready};
pub(super) use stat::ProcessStat;
pub(super) use workspace::mounted_noexec;
pub use workspace::{Workspace, WorkspaceError};
