use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Sufficient for the largest models and thousands of clients.
const ENOUGH: u64 = 65_536;

/// The maximum number of concurrent OpenAI requests to tritonserver.
#[cfg(all(tritonserver, feature = "embedded"))]
const MOST_TEXTS: u64 = 256;

/// Returns the number of connections to tritonserver that leaves enough descriptors for its other
/// clients. tritonserver inherits the limit of this process.
#[cfg(all(tritonserver, feature = "embedded"))]
pub(super) fn connections_beside_others() -> usize {
    let descriptors = getrlimit(Resource::Nofile).current.unwrap_or(ENOUGH);
    let connections = (descriptors / 4).clamp(1, MOST_TEXTS);
    usize::try_from(connections).unwrap_or(1)
}

/// Raises the soft limit of open files for this process and tritonserver. Each connection uses one
/// descriptor, and each instance behind tritonserver uses four.
pub(super) fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    let allowed = limit.maximum.unwrap_or(ENOUGH).min(ENOUGH);
    if limit.current.is_some_and(|current| current < allowed) {
        let raised = Rlimit {
            current: Some(allowed),
            ..limit
        };
        // If this fails, the current limit stays.
        let _ = setrlimit(Resource::Nofile, raised);
    }
}
