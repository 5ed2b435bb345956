use std::{fmt, fs};

use pytriton_tests::Server;

/// The memory of a server in bytes, and its number of threads.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    pub resident: u64,
    pub peak_resident: u64,
    pub address_space: u64,
    pub peak_address_space: u64,
    pub threads: u64,
}

impl Sizes {
    /// Returns the current sizes.
    pub(crate) fn of(server: &Server) -> Self {
        let status = fs::read_to_string(format!("/proc/{}/status", server.pid()));
        let status = status.unwrap_or_default();
        let number = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
            number.unwrap_or(0_u64)
        };
        Self {
            resident: number("VmRSS:") << 10,
            peak_resident: number("VmHWM:") << 10,
            address_space: number("VmSize:") << 10,
            peak_address_space: number("VmPeak:") << 10,
            threads: number("Threads:"),
        }
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            resident,
            peak_resident,
            address_space,
            peak_address_space,
            threads,
        } = self;
        let mib = |bytes: &u64| bytes >> 20;
        write!(
            formatter,
            "resident {} MiB, at most {}; address space {} MiB, at most {}; {threads} threads",
            mib(resident),
            mib(peak_resident),
            mib(address_space),
            mib(peak_address_space)
        )
    }
}
