use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// More than a server with the largest models and thousands of clients has.
const ENOUGH: u64 = 65_536;

/// More texts than that are not asked of tritonserver at a time.
#[cfg(all(tritonserver, feature = "embedded"))]
const MOST_TEXTS: u64 = 256;

/// How many connections to tritonserver its other clients leave room for: it has as many descriptors as this process.
#[cfg(all(tritonserver, feature = "embedded"))]
pub(super) fn connections_beside_others() -> usize {
    let descriptors = getrlimit(Resource::Nofile).current.unwrap_or(ENOUGH);
    let connections = (descriptors / 4).clamp(1, MOST_TEXTS);
    usize::try_from(connections).unwrap_or(1)
}

/// Lets this process and tritonserver have as many descriptors as they may, where the limit for programs that know no
/// others is lower: each connection has one, and each instance behind tritonserver has four.
pub(super) fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    let allowed = limit.maximum.unwrap_or(ENOUGH).min(ENOUGH);
    if limit.current.is_some_and(|current| current < allowed) {
        let raised = Rlimit {
            current: Some(allowed),
            ..limit
        };
        // Otherwise there is what there is.
        let _ = setrlimit(Resource::Nofile, raised);
    }
}
