use std::fs;

/// Returns the signal if a log line reports that tritonserver is crashing by it.
///
/// The handler that logs this line also writes a stack trace, which allocates. If the signal
/// interrupted a thread that holds the allocator's lock, the handler deadlocks: the server neither
/// exits nor responds.
pub(super) fn crash(line: &str) -> Option<u32> {
    let signal = line.strip_prefix("Signal (")?.strip_suffix(") received.")?;
    let signal = signal.parse().ok()?;
    // The fatal signals: abort and segmentation fault.
    [6, 11].contains(&signal).then_some(signal)
}

/// Returns whether a thread of a process is in its handler of a signal, which is blocked meanwhile.
/// The log alone is not proof, because models write to it too.
pub(super) fn is_in_handler(process: u32, signal: u32) -> bool {
    let tasks = fs::read_dir(format!("/proc/{process}/task"));
    let mut tasks = tasks.into_iter().flatten().flatten();
    tasks.any(|task| {
        let status = fs::read_to_string(task.path().join("status")).unwrap_or_default();
        blocked(&status).is_some_and(|mask| {
            // A thread that blocks all signals itself is not in a handler.
            mask & bit(signal) != 0 && mask & bit(SIGFPE) == 0
        })
    })
}

const SIGFPE: u32 = 8;

fn bit(signal: u32) -> u64 {
    1_u64
        .checked_shl(signal.saturating_sub(1))
        .unwrap_or_default()
}

/// Parses `SigBlk:\t0000000000000400`.
fn blocked(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("SigBlk:"))?;
    u64::from_str_radix(line.trim(), 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signal_mask_is_parsed() {
        let status = "Name:\tx\nSigBlk:\t0000000000000400\nSigIgn:\t0\n";
        assert_eq!(blocked(status), Some(bit(11)));
        assert_eq!(blocked("Name:\tx\n"), None);
        assert!(!is_in_handler(std::process::id(), 11));
    }

    #[test]
    fn only_fatal_signals_are_crashes() {
        let table = [
            ("Signal (11) received.", Some(11)),
            ("Signal (6) received.", Some(6)),
            ("Signal (15) received.", None),
            ("Signal (2) received.", None),
            ("Signal (x) received.", None),
            ("a model says: Signal (11) received.", None),
        ];
        for (line, expected) in table {
            assert_eq!(crash(line), expected, "{line}");
        }
    }
}
