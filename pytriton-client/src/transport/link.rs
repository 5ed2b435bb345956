use std::time::Duration;

use super::Tls;

/// The settings of the connections to a server.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub(crate) tls: Tls,
    pub(crate) access_token: Option<String>,
    pub(crate) connect_timeout: Duration,
    pub(crate) gzip: bool,
}
