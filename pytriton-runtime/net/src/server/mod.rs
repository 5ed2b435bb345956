//! The server: ports, connections, streams, and the service behind them.

mod acceptor;
mod body_error;
mod body_pace;
mod body_timeout;
mod bound_port;
mod close_reason;
mod connection;
mod connection_limit;
#[cfg(test)]
mod connection_memory_tests;
mod connection_state;
#[cfg(test)]
mod connection_state_tests;
mod coop_poll;
mod endpoint;
mod half_closed;
#[cfg(test)]
mod half_closed_tests;
mod handshake;
mod head;
mod head_budget;
mod head_memory;
mod head_numbers;
#[cfg(test)]
mod health_memory_tests;
mod health_only_connections;
mod host_check;
mod hpack_scanner;
mod hpack_table_memory;
#[cfg(test)]
mod hpack_table_memory_tests;
mod http2_head_memory;
#[cfg(test)]
mod http2_head_memory_tests;
mod http2_header_frame;
mod http2_preface;
#[cfg(test)]
mod http2_tests;
mod http_builders;
mod min_rate;
mod port;
mod protocol;
mod receive_windows;
#[cfg(test)]
mod receive_windows_tests;
mod refusal;
mod request_body;
mod response_body;
mod retirement;
#[cfg(test)]
mod retirement_tests;
mod service;
#[cfg(test)]
mod slow_head_tests;
#[cfg(test)]
mod slow_reader_tests;
mod socket_options;
mod stop;
mod stream;
mod stream_handle;
mod stream_state;
mod timeouts;
mod tower;
#[cfg(test)]
mod tower_tests;
mod tracked_bytes;
mod tracked_io;
#[cfg(test)]
mod tracked_io_tests;
mod trailers_memory;
#[cfg(test)]
mod trailers_memory_tests;
#[cfg(test)]
mod unsent_tests;

pub use body_error::BodyError;
pub use body_timeout::BodyTimeout;
pub use bound_port::BoundPort;
pub use connection::{Connections, Ending};
pub use endpoint::Endpoint;
pub use head::check_head;
pub use host_check::HostCheck;
pub use min_rate::MinRate;
pub use protocol::Protocol;
pub use receive_windows::ReceiveWindows;
pub use refusal::Refusal;
pub use request_body::RequestBody;
pub use service::{HttpService, ResponseContent};
pub use tower::TowerService;
