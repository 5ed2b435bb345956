use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, PipeReader, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use tokio::sync::watch;
use tracing::Level;

use super::line::LogLine;

/// The longest line that is kept whole.
const MAX_LINE_BYTES: u64 = 64 << 10;

/// How many of the last complaints are kept for the report of a death.
const KEPT: usize = 10;

/// What a child has written so far that matters after it.
#[derive(Debug, Clone)]
pub(super) struct Output {
    words: Arc<Mutex<LastWords>>,
    ended: watch::Receiver<bool>,
}

/// The last error lines; and the last line of any kind, which is what a mistake on the command line comes as.
#[derive(Debug, Default)]
struct LastWords {
    complaints: VecDeque<String>,
    line: Option<String>,
}

impl LastWords {
    fn hear(&mut self, line: &LogLine) {
        if line.message.is_empty() {
            return;
        }
        if line.level == Level::ERROR {
            if self.complaints.len() == KEPT {
                self.complaints.pop_front();
            }
            self.complaints.push_back(line.message.clone());
        }
        self.line = Some(line.message.clone());
    }
}

impl Output {
    /// Reads the child's output on a thread of its own, line by line into `tracing`, until the last writer is gone.
    pub(super) fn follow(
        reader: PipeReader,
        mut each: impl FnMut(&str) + Send + 'static,
    ) -> io::Result<Self> {
        let words = Arc::new(Mutex::new(LastWords::default()));
        let (end, ended) = watch::channel(false);
        let heard = Arc::clone(&words);
        let read = move || {
            let mut reader = BufReader::new(reader);
            while let Some(line) = next_line(&mut reader) {
                each(&line);
                let line = LogLine::parse(&line);
                let mut words = heard.lock().unwrap_or_else(PoisonError::into_inner);
                words.hear(&line);
                drop(words);
                log(&line);
            }
            end.send_replace(true);
        };
        thread::Builder::new()
            .name("tritonserver-log".to_owned())
            .spawn(read)?;
        Ok(Self { words, ended })
    }

    /// Waits until all of it is read.
    pub(super) async fn ended(&self) {
        let mut ended = self.ended.clone();
        // The reader's end says the same as its word.
        let _ = ended.wait_for(|ended| *ended).await;
    }

    /// The last error lines, oldest first; the last line of all where there are none.
    pub(super) fn last_words(&self) -> Vec<String> {
        let words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        match words.complaints.is_empty() {
            true => words.line.iter().cloned().collect(),
            false => words.complaints.iter().cloned().collect(),
        }
    }
}

/// The next line, cut where it is too long.
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
    // The level is part of what `tracing` wants to know at compile time.
    match *level {
        Level::ERROR => tracing::error!(target: "tritonserver", source, "{message}"),
        Level::WARN => tracing::warn!(target: "tritonserver", source, "{message}"),
        Level::INFO => tracing::info!(target: "tritonserver", source, "{message}"),
        _ => tracing::debug!(target: "tritonserver", source, "{message}"),
    }
}
