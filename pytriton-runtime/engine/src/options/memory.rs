use std::fs;

/// The cgroup files with the memory limit of the container.
const LIMITS: [&str; 2] = [
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
];

/// Returns the memory available to the process in bytes: that of the machine, or the limit of the
/// container if it is lower. `None` if the system does not report it.
pub(super) fn memory() -> Option<usize> {
    let machine = fs::read_to_string("/proc/meminfo").ok();
    let machine = machine.and_then(|text| machine_bytes(&text));
    let limits = LIMITS
        .iter()
        .filter_map(|path| fs::read_to_string(path).ok());
    // A text such as `max` means no limit.
    let limits = limits.filter_map(|text| text.trim().parse().ok());
    machine.into_iter().chain(limits).min()
}

fn machine_bytes(meminfo: &str) -> Option<usize> {
    let mut lines = meminfo.lines();
    let total = lines.find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: usize = total.trim().strip_suffix(" kB")?.parse().ok()?;
    kibibytes.checked_mul(1 << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_memory_is_parsed() {
        let text = "MemTotal:       24689764 kB\nMemFree:         1234 kB\n";
        assert_eq!(machine_bytes(text), Some(24_689_764 << 10));
        assert_eq!(machine_bytes("MemFree: 1 kB\n"), None);
        assert_eq!(machine_bytes("MemTotal: many kB\n"), None);
    }
}
