use std::fs;

use parking_lot::Mutex;

use super::family::Family;

/// The machine's CPU and memory usage, for Triton's `nv_cpu_*` gauges.
#[derive(Debug, Default)]
pub struct System {
    /// The CPU time at the last call; utilization is the difference.
    last: Mutex<CpuTime>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct CpuTime {
    busy: u64,
    total: u64,
}

impl System {
    /// The gauges as text; empty without `/proc`.
    pub fn exposition(&self) -> String {
        let mut text = String::new();
        if let Some(now) = fs::read_to_string("/proc/stat")
            .ok()
            .as_deref()
            .and_then(cpu_time)
        {
            let (name, help) = ("nv_cpu_utilization", "CPU utilization rate [0.0 - 1.0]");
            Family::gauge(&mut text, name, help).sample(&[], &self.utilization(now));
        }
        let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
        if let (Some(total), Some(available)) =
            (bytes(&memory, "MemTotal:"), bytes(&memory, "MemAvailable:"))
        {
            let (name, help) = (
                "nv_cpu_memory_total_bytes",
                "CPU total memory (RAM), in bytes",
            );
            Family::gauge(&mut text, name, help).sample(&[], &total);
            let (name, help) = (
                "nv_cpu_memory_used_bytes",
                "CPU used memory (RAM), in bytes",
            );
            Family::gauge(&mut text, name, help).sample(&[], &total.saturating_sub(available));
        }
        text
    }

    fn utilization(&self, now: CpuTime) -> f64 {
        let mut last = self.last.lock();
        let busy = now.busy.saturating_sub(last.busy);
        let total = now.total.saturating_sub(last.total);
        *last = now;
        if total == 0 {
            0.0
        } else {
            busy as f64 / total as f64
        }
    }
}

/// The first line of `/proc/stat`: time in user, nice, system, idle, iowait, irq, softirq, steal.
fn cpu_time(stat: &str) -> Option<CpuTime> {
    let line = stat.lines().next()?.strip_prefix("cpu ")?;
    let times: Vec<u64> = line
        .split_whitespace()
        .take(8)
        .flat_map(str::parse)
        .collect();
    let total = times.iter().sum();
    let idle: u64 = times.get(3..5)?.iter().sum();
    Some(CpuTime {
        busy: total - idle,
        total,
    })
}

/// A line of `/proc/meminfo`, in KiB.
fn bytes(meminfo: &str, name: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_tables_are_parsed() {
        let time = cpu_time("cpu  10 0 20 60 10 0 0 0 5 0\ncpu0 1\n").unwrap();
        assert_eq!(
            time,
            CpuTime {
                busy: 30,
                total: 100
            }
        );
        assert_eq!(cpu_time("intr 1"), None);
        assert_eq!(bytes("MemTotal:       16 kB\n", "MemTotal:"), Some(16384));
        assert_eq!(bytes("MemFree: 16 kB\n", "MemTotal:"), None);
    }

    #[test]
    fn utilization_covers_the_time_since_the_last_query() {
        let system = System::default();
        system.utilization(CpuTime {
            busy: 50,
            total: 100,
        });
        let rate = system.utilization(CpuTime {
            busy: 60,
            total: 140,
        });
        assert_eq!(rate, 0.25);
    }
}
