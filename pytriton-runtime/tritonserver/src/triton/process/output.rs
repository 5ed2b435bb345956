use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, PipeReader, Read};
use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;
use tokio::sync::watch;
use tracing::Level;

use super::crash::crash;
use super::log_line::LogLine;

/// Longer lines are split.
const MAX_LINE_BYTES: u64 = 64 << 10;

/// The number of last error lines kept for the exit report.
const MAX_ERROR_LINES: usize = 10;

/// The number of lines kept of a crash report, and of characters per line: they contain client
/// text.
const MAX_CRASH_LINES: usize = 6;
const MAX_CRASH_CHARS: usize = 400;

/// The part of a child's output that the exit report needs.
#[derive(Debug, Clone)]
pub(super) struct Output {
    lines: Arc<Mutex<LastLines>>,
    ended: watch::Receiver<bool>,
}

/// The beginnings of lines that a C or C++ runtime writes before it aborts.
const ABORT_PREFIXES: &[&str] = &[
    "terminate called",
    "what():",
    "pure virtual method called",
    "corrupted double-linked list",
    "corrupted size vs. prev_size",
    "double free ",
    "free(): ",
    "malloc(): ",
    "malloc_consolidate(): ",
    "munmap_chunk(): ",
    "realloc(): ",
    "*** buffer overflow detected",
    "*** stack smashing detected",
];

/// The last error lines, and the last line of any kind. An error on the command line is reported
/// without an error level.
#[derive(Debug, Default)]
pub(super) struct LastLines {
    errors: VecDeque<String>,
    line: Option<String>,
    /// The cause of a crash, the signal, and the function of Triton's interface that was called.
    crash: Vec<String>,
}

impl LastLines {
    pub(super) fn record(&mut self, line: &LogLine) {
        if line.message.is_empty() {
            return;
        }
        if let Some(cause) = crash_cause(line)
            && self.crash.len() < MAX_CRASH_LINES
            && !self.crash.contains(&cause)
        {
            self.crash.push(cause);
        }
        if line.level == Level::ERROR {
            if self.errors.len() == MAX_ERROR_LINES {
                self.errors.pop_front();
            }
            self.errors.push_back(line.message.clone());
        }
        self.line = Some(line.message.clone());
    }

    /// Returns the error lines, oldest first.
    pub(super) fn into_errors(self) -> Vec<String> {
        self.errors.into()
    }
}

impl Output {
    /// Reads the child's output on a separate thread and logs it line by line, until the last
    /// writer is gone.
    pub(super) fn follow(
        reader: PipeReader,
        mut each: impl FnMut(&str) + Send + 'static,
    ) -> io::Result<Self> {
        let lines = Arc::new(Mutex::new(LastLines::default()));
        let (end, ended) = watch::channel(false);
        let shared = Arc::clone(&lines);
        let read = move || {
            let mut reader = BufReader::new(reader);
            while let Some(line) = next_line(&mut reader) {
                each(&line);
                let line = LogLine::parse(&line);
                let mut lines = shared.lock();
                lines.record(&line);
                drop(lines);
                log(&line);
            }
            end.send_replace(true);
        };
        thread::Builder::new()
            .name("tritonserver-log".to_owned())
            .spawn(read)?;
        Ok(Self { lines, ended })
    }

    /// Waits until all output is read.
    pub(super) async fn ended(&self) {
        let mut ended = self.ended.clone();
        // If the reader has ended without sending, the output has ended too.
        let _ = ended.wait_for(|ended| *ended).await;
    }

    /// Returns the cause of a crash, followed by the last error lines, oldest first. If there is
    /// neither, returns the last line.
    pub(super) fn last_lines(&self) -> Vec<String> {
        let lines = self.lines.lock();
        // Errors before the crash may be hours old.
        let errors = lines.crash.iter().chain(&lines.errors);
        let errors: Vec<String> = errors.cloned().collect();
        match errors.is_empty() {
            // After a crash, the last line is part of its stack trace.
            true => lines.line.iter().cloned().collect(),
            false => errors,
        }
    }
}

/// Returns the text that a crash report keeps of a line. Of the stack trace, it keeps only the API
/// function that was called.
fn crash_cause(line: &LogLine) -> Option<String> {
    // A line with a source is a regular log line of the server or a model.
    if !line.source.is_empty() {
        return None;
    }
    let text = line.message.trim();
    let frame = text.split_once("# ").map(|(_, frame)| frame);
    let frame = frame.filter(|frame| frame.starts_with("TRITONSERVER_"));
    let aborts = |prefix: &&str| text.starts_with(*prefix);
    let reported = ABORT_PREFIXES.iter().any(aborts) || text.contains(": Assertion `");
    let cause = match frame.and_then(|frame| frame.split(' ').next()) {
        Some(function) => format!("in {function}"),
        None if reported || crash(text).is_some() => text.to_owned(),
        None => return None,
    };
    Some(cause.chars().take(MAX_CRASH_CHARS).collect())
}

/// Returns the next line, split if it is too long.
fn next_line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    let read = reader
        .by_ref()
        .take(MAX_LINE_BYTES)
        .read_until(b'\n', &mut line);
    if read.ok()? == 0 {
        return None;
    }
    Some(String::from_utf8_lossy(&line).trim_end().to_owned())
}

fn log(line: &LogLine) {
    let LogLine {
        level,
        source,
        message,
    } = line;
    if message.is_empty() {
        return;
    }
    // `tracing` requires the level at compile time.
    match *level {
        Level::ERROR => tracing::error!(target: "tritonserver", source, "{message}"),
        Level::WARN => tracing::warn!(target: "tritonserver", source, "{message}"),
        Level::INFO => tracing::info!(target: "tritonserver", source, "{message}"),
        _ => tracing::debug!(target: "tritonserver", source, "{message}"),
    }
}
