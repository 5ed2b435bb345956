use std::io;

use pytriton_tests::Result;
use rustix::process::{Resource, Rlimit, getrlimit, prlimit};

use crate::sockets::pid;

/// A lowered resource limit of another process, which is restored when this is dropped.
#[derive(Debug)]
pub(crate) struct Limit {
    id: u32,
    resource: Resource,
    before: Rlimit,
}

impl Limit {
    /// Lowers a limit of a process that this one has started.
    pub(crate) fn lower(id: u32, resource: Resource, to: u64) -> Result<Self> {
        // The hard limit stays, so that the soft limit can be raised again.
        let lower = Rlimit {
            current: Some(to),
            maximum: getrlimit(resource).maximum,
        };
        let before = prlimit(Some(pid(id)?), resource, lower).map_err(io::Error::from)?;
        Ok(Self {
            id,
            resource,
            before,
        })
    }
}

impl Drop for Limit {
    fn drop(&mut self) {
        // The process may have ended.
        if let Ok(id) = pid(self.id) {
            let _ = prlimit(Some(id), self.resource, self.before);
        }
    }
}
