use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use pytriton_core::text::Legible;

/// The end of a tritonserver: its exit status and its last messages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExitReport {
    /// The exit status.
    pub status: ExitStatus,
    /// The cause of a crash, followed by the last error lines, oldest first. If there is neither,
    /// the last line.
    pub last_lines: Vec<String>,
}

impl ExitReport {
    /// Returns whether it exited successfully, as after a request to stop.
    pub fn success(&self) -> bool {
        self.status.success()
    }

    /// Returns whether another process had a port. It may have released it since, as a client does
    /// with the port of its connection.
    pub fn is_port_in_use(&self) -> bool {
        let mut lines = self.last_lines.iter();
        lines.any(|line| line.contains("already in use"))
    }
}

impl fmt::Display for ExitReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.status.code(), self.status.signal()) {
            (Some(code), _) => write!(f, "exited with code {code}")?,
            (None, Some(signal)) => write!(f, "was killed by signal {signal}{}", name(signal))?,
            (None, None) => write!(f, "ended: {}", self.status)?,
        }
        if self.success() {
            return Ok(());
        }
        // The alternate form is a single line.
        let between = if f.alternate() { "; " } else { "\n  " };
        for line in &self.last_lines {
            write!(f, "{between}{}", Legible(line))?;
        }
        Ok(())
    }
}

fn name(signal: i32) -> &'static str {
    match signal {
        6 => " (SIGABRT)",
        9 => " (SIGKILL: killed from outside, or out of memory)",
        11 => " (SIGSEGV)",
        15 => " (SIGTERM)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn port_in_use_is_recognized_by_the_log() {
        let http =
            "failed to start HTTP service: Unavailable - Socket '127.0.0.1:41000' already in use ";
        let grpc =
            "failed to start GRPC service: Unavailable - Socket '127.0.0.1:41000' already in use ";
        let table: [(&[&str], bool); 5] = [
            (&[http], true),
            (&[grpc], true),
            (&["other", http, "other"], true),
            (&["failed to load 'Linear'"], false),
            (&[], false),
        ];
        for (lines, expected) in table {
            let exit = ExitReport {
                last_lines: lines.iter().map(|&line| line.to_owned()).collect(),
                ..ExitReport::default()
            };
            assert_eq!(exit.is_port_in_use(), expected, "{lines:?}");
        }
    }

    #[test]
    fn exit_report_contains_status_and_reason() {
        let table = [
            (0x0100, "exited with code 1"),
            (
                9,
                "was killed by signal 9 (SIGKILL: killed from outside, or out of memory)",
            ),
            (10, "was killed by signal 10"),
        ];
        for (raw, expected) in table {
            let exit = ExitReport {
                status: ExitStatus::from_raw(raw),
                last_lines: vec!["why\u{7}".to_owned()],
            };
            assert_eq!(exit.to_string(), format!("{expected}\n  why\\u{{7}}"));
            assert_eq!(format!("{exit:#}"), format!("{expected}; why\\u{{7}}"));
        }
    }
}
