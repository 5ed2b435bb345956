use std::fmt::Display;
use std::fs;
use std::sync::OnceLock;

use rustix::param::{clock_ticks_per_second, page_size};
use rustix::process::{Resource, getrlimit};

use super::family::Family;

/// The boot time of the machine, cached because the file is long on machines with many cores.
static BOOT_TIME: OnceLock<Option<u64>> = OnceLock::new();

/// The resource usage of this process, with the metric names of Prometheus' client libraries; empty
/// without `/proc`.
pub fn process_exposition() -> String {
    let mut text = String::new();
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let booted = *BOOT_TIME.get_or_init(|| boot_time(&fs::read_to_string("/proc/stat").ok()?));
    if let Some(stat) = Stat::parse(&stat) {
        let ticks = clock_ticks_per_second().max(1) as f64;
        let seconds = stat.ticks as f64 / ticks;
        let (name, help) = (
            "process_cpu_seconds_total",
            "Total user and system CPU time spent in seconds.",
        );
        Family::counter(&mut text, name, help).sample(&[], &seconds);
        let mut gauge = |name, help, value: &dyn Display| {
            Family::gauge(&mut text, name, help).sample(&[], value);
        };
        if let Some(booted) = booted {
            let help = "Start time of the process since unix epoch in seconds.";
            let started = booted as f64 + stat.started as f64 / ticks;
            gauge("process_start_time_seconds", help, &started);
        }
        let help = "Virtual memory size in bytes.";
        gauge("process_virtual_memory_bytes", help, &stat.virtual_bytes);
        let help = "Resident memory size in bytes.";
        let resident = stat.resident_pages.saturating_mul(page_size() as u64);
        gauge("process_resident_memory_bytes", help, &resident);
        let help = "Number of OS threads in the process.";
        gauge("process_threads", help, &stat.threads);
    }
    let mut gauge = |name, help, value: &dyn Display| {
        Family::gauge(&mut text, name, help).sample(&[], value);
    };
    if let Some(open) = open_descriptors() {
        let help = "Number of open file descriptors.";
        gauge("process_open_fds", help, &open);
    }
    if let Some(most) = getrlimit(Resource::Nofile).current {
        let help = "Maximum number of open file descriptors.";
        gauge("process_max_fds", help, &most);
    }
    text
}

/// From Linux 6.2 on, the size of the folder is the count; older versions list it.
fn open_descriptors() -> Option<u64> {
    let folder = "/proc/self/fd";
    match fs::metadata(folder).ok()?.len() {
        // Excludes the descriptor that reads the folder.
        0 => Some((fs::read_dir(folder).ok()?.count() as u64).saturating_sub(1)),
        open => Some(open),
    }
}

/// The contents of `/proc/self/stat`.
#[derive(Debug, PartialEq, Eq)]
struct Stat {
    /// User and system time.
    ticks: u64,
    threads: u64,
    /// Ticks since the machine was booted.
    started: u64,
    virtual_bytes: u64,
    resident_pages: u64,
}

impl Stat {
    fn parse(stat: &str) -> Option<Self> {
        // The program's name is in parentheses and may contain any character.
        let (_, fields) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = fields.split_whitespace().collect();
        let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
        Some(Self {
            ticks: field(14)? + field(15)?,
            threads: field(20)?,
            started: field(22)?,
            virtual_bytes: field(23)?,
            resident_pages: field(24)?,
        })
    }
}

/// The line `btime` of `/proc/stat`: seconds since the epoch.
fn boot_time(stat: &str) -> Option<u64> {
    let line = stat.lines().find_map(|line| line.strip_prefix("btime "))?;
    line.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_the_statistics_of_the_process() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194560 900 0 0 0 30 12 0 0 20 0 4 0 500 8192 25 18446744073709551615 1";
        let expected = Stat {
            ticks: 42,
            threads: 4,
            started: 500,
            virtual_bytes: 8192,
            resident_pages: 25,
        };
        assert_eq!(Stat::parse(stat), Some(expected));
        assert_eq!(Stat::parse("7 (a"), None);
        assert_eq!(boot_time("cpu 1\nbtime 1700000000\n"), Some(1_700_000_000));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn metrics_of_this_process_are_reported() {
        let text = process_exposition();
        let samples = text.lines().filter(|line| !line.starts_with('#'));
        assert_eq!(samples.count(), 7, "{text}");
    }
}
