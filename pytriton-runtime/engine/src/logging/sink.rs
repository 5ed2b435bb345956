use std::io::{self, Write};
use std::sync::Once;
use std::thread;
use std::time::Duration;

use super::access::AccessLine;
use super::access_log_format::AccessLogFormat;
use super::queue::LogQueue;

/// How long the exit of the process waits for the last lines.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// How long a panic that may end the process waits.
const PANIC_FLUSH_TIMEOUT: Duration = Duration::from_millis(100);

/// The queue of this process.
static QUEUE: LogQueue = LogQueue::new();

/// The destination of lines. A separate thread writes them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sink;

/// Appends all further lines to a file.
pub(super) fn open(path: &std::path::Path) -> io::Result<()> {
    let file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)?;
    QUEUE.redirect(file);
    Ok(())
}

/// Starts the writer thread once.
fn start() {
    static START: Once = Once::new();
    START.call_once(|| {
        let writer = || QUEUE.write_lines(io::stderr(), report);
        let thread = thread::Builder::new().name("log".to_owned());
        // If the system refuses to start the thread, there is no log.
        drop(thread.spawn(writer));
    });
}

/// Adds a line about dropped lines.
fn report(dropped: u64) {
    tracing::warn!(
        lines = dropped,
        "log lines were dropped because the log output was blocked"
    );
}

/// Waits until the last lines are written, unless the output is blocked.
pub fn flush() {
    QUEUE.flush(FLUSH_TIMEOUT);
}

/// Same as [`flush`], before a panic that may end the process.
pub(super) fn flush_before_panic() {
    QUEUE.flush(PANIC_FLUSH_TIMEOUT);
}

/// Writes a line to standard error after all logged lines, without waiting for a blocked output.
pub fn print_error(line: &str) {
    start();
    QUEUE.push_to_stderr(format!("{line}\n").as_bytes());
    flush();
}

/// Adds a line of the access log to the log.
pub fn write_access(line: &AccessLine<'_>, format: AccessLogFormat) {
    start();
    QUEUE.push(line.format(format).as_bytes());
}

impl Write for Sink {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        start();
        QUEUE.push(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
