use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// More than a server with the largest models and thousands of clients has.
const ENOUGH: u64 = 65_536;

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
