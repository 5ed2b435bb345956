use rustix::process::{Resource, getrlimit};
use thiserror::Error;

use crate::registry::Registry;

/// What tritonserver has open before it has a model or a client (64), and some clients.
const SERVER: u64 = 96;

/// What each of both processes has open for an instance: a socket twice, its rings, and segments of memory.
const SESSION: u64 = 6;

/// What tritonserver says in one way or another, on some line, when it can open nothing more.
const COMPLAINTS: [&str; 2] = ["Too many open files", "File descriptor limit reached"];

/// What helps.
const REMEDY: &str =
    "raise the limit (`ulimit -n`; `LimitNOFILE=` of systemd, `--ulimit nofile=` of Docker)";

/// A limit of open files with which tritonserver does not serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DescriptorError {
    /// It is known beforehand.
    #[error(
        "{limit} open files are too few: tritonserver and the {instances} instances of these models need about {needed}; \
         {REMEDY}"
    )]
    TooFew {
        /// The limit.
        limit: u64,
        /// How many instances there are.
        instances: u64,
        /// What is needed.
        needed: u64,
    },
    /// tritonserver says so.
    #[error(
        "{limit} open files are too few for tritonserver, its options and its clients; {REMEDY}"
    )]
    Exhausted {
        /// The limit.
        limit: u64,
    },
}

impl DescriptorError {
    /// Looks whether the limit is enough for some models.
    ///
    /// # Errors
    ///
    /// [`Self::TooFew`].
    pub fn check(registry: &Registry) -> Result<(), Self> {
        let instances = registry
            .iter()
            .map(|spec| u64::from(spec.instances.count()));
        enough(limit(), instances.sum())
    }

    /// What a line of tritonserver's output says of it.
    pub(super) fn in_log(line: &str) -> Option<Self> {
        let mut complaints = COMPLAINTS.iter();
        let complains = complaints.any(|complaint| line.contains(complaint));
        complains.then(|| Self::Exhausted { limit: limit() })
    }
}

fn enough(limit: u64, instances: u64) -> Result<(), DescriptorError> {
    let needed = SERVER.saturating_add(SESSION.saturating_mul(instances));
    match limit >= needed {
        true => Ok(()),
        false => Err(DescriptorError::TooFew {
            limit,
            instances,
            needed,
        }),
    }
}

/// What this process may have open; its child has the same limit.
fn limit() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_models_need() {
        assert_eq!(enough(102, 1), Ok(()));
        let error = enough(64, 10).unwrap_err().to_string();
        assert!(error.starts_with("64 open files are too few"), "{error}");
        assert!(
            error.contains("10 instances") && error.contains("about 156"),
            "{error}"
        );
        assert!(enough(u64::MAX, u64::MAX).is_ok());
    }

    #[test]
    fn knows_the_words_of_tritonserver() {
        let lines = [
            "[warn] Error from accept() call: Too many open files",
            "E1121 00:47:11.3 21 tcp_server_posix.cc:356] File descriptor limit reached. Retrying.",
        ];
        for line in lines {
            assert!(DescriptorError::in_log(line).is_some(), "{line}");
        }
        assert_eq!(DescriptorError::in_log("file not found"), None);
    }
}
