use std::fmt;
use std::fs;

use pytriton_tests::Server;

/// The resources of a server process.
#[derive(Clone, Copy)]
pub(crate) struct ProcessResources {
    /// Its memory and its peak memory in MiB.
    memory: u64,
    pub most_memory: u64,
    /// The number of open descriptors.
    pub descriptors: usize,
}

impl fmt::Display for ProcessResources {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (memory, most, descriptors) = (self.memory, self.most_memory, self.descriptors);
        write!(
            formatter,
            "{memory} MiB, at most {most}, {descriptors} descriptors"
        )
    }
}

impl ProcessResources {
    /// Returns the current resources of a server.
    pub(crate) fn by(server: &Server) -> Self {
        let id = server.pid();
        let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let of = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
            kibibytes.map_or(0, |kibibytes: u64| kibibytes >> 10)
        };
        Self {
            memory: of("VmRSS:"),
            most_memory: of("VmHWM:"),
            descriptors: fs::read_dir(format!("/proc/{id}/fd")).map_or(0, Iterator::count),
        }
    }
}
