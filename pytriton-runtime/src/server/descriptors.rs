use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Sufficient for the largest models and thousands of clients.
const MAX_DESCRIPTORS: u64 = 65_536;

/// Raises the soft limit of open files for this process and tritonserver. Each connection uses one
/// descriptor, and each instance behind tritonserver uses four.
pub(super) fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    let allowed = limit
        .maximum
        .unwrap_or(MAX_DESCRIPTORS)
        .min(MAX_DESCRIPTORS);
    if limit.current.is_some_and(|current| current < allowed) {
        let raised = Rlimit {
            current: Some(allowed),
            ..limit
        };
        // If this fails, the current limit stays.
        let _ = setrlimit(Resource::Nofile, raised);
    }
}
