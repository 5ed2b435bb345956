use pytriton_core::registry::Registry;
use rustix::process::{Resource, getrlimit};
use thiserror::Error;

/// Descriptors that tritonserver opens without models and clients (64), plus some for clients.
const DESCRIPTORS_PER_SERVER: u64 = 96;

/// Descriptors that each of the two processes opens per instance: two for sockets, its rings, and
/// memory segments.
const DESCRIPTORS_PER_INSTANCE: u64 = 6;

/// Messages that tritonserver logs when it cannot open another descriptor.
const DESCRIPTOR_ERRORS: [&str; 2] = ["Too many open files", "File descriptor limit reached"];

/// Advice for the user.
const ADVICE: &str =
    "raise the limit (`ulimit -n`; `LimitNOFILE=` of systemd, `--ulimit nofile=` of Docker)";

/// The limit of open files is too low for tritonserver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DescriptorError {
    /// The limit is known to be too low before the start.
    #[error(
        "the limit of {limit} open files is too low: tritonserver and the {instances} instances of these models need about {needed}; {ADVICE}"
    )]
    TooFew {
        /// The limit.
        limit: u64,
        /// The number of instances.
        instances: u64,
        /// The number of descriptors needed.
        needed: u64,
    },
    /// tritonserver reports that it ran out of descriptors.
    #[error(
        "the limit of {limit} open files is too low for tritonserver, its options and its clients; {ADVICE}"
    )]
    Exhausted {
        /// The limit.
        limit: u64,
    },
}

impl DescriptorError {
    /// Checks that the limit suffices for the models of a registry.
    ///
    /// # Errors
    ///
    /// Returns [`Self::TooFew`] if it does not.
    pub fn check(registry: &Registry) -> Result<(), Self> {
        let instances = registry
            .iter()
            .map(|spec| u64::from(spec.instances.count()));
        enough(limit(), instances.sum())
    }

    /// Returns the error if a line of tritonserver's output reports it.
    pub(super) fn in_log(line: &str) -> Option<Self> {
        let mut complaints = DESCRIPTOR_ERRORS.iter();
        let complains = complaints.any(|complaint| line.contains(complaint));
        complains.then(|| Self::Exhausted { limit: limit() })
    }
}

fn enough(limit: u64, instances: u64) -> Result<(), DescriptorError> {
    let needed =
        DESCRIPTORS_PER_SERVER.saturating_add(DESCRIPTORS_PER_INSTANCE.saturating_mul(instances));
    match limit >= needed {
        true => Ok(()),
        false => Err(DescriptorError::TooFew {
            limit,
            instances,
            needed,
        }),
    }
}

/// Returns the soft limit of this process; the child inherits it.
fn limit() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn required_descriptors_are_counted() {
        assert_eq!(enough(102, 1), Ok(()));
        let error = enough(64, 10).unwrap_err().to_string();
        assert!(
            error.starts_with("the limit of 64 open files is too low"),
            "{error}"
        );
        assert!(
            error.contains("10 instances") && error.contains("about 156"),
            "{error}"
        );
        assert!(enough(u64::MAX, u64::MAX).is_ok());
    }

    #[test]
    fn descriptor_errors_of_tritonserver_are_recognized() {
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
