use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::token::read;
use super::{Secret, Secrets};

/// The interval at which the file is read. Its size and modification time are not reliable, and it
/// is small.
pub(super) const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The reaction to a token that changes while the server runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Follow {
    /// It takes effect immediately.
    Apply,
    /// A warning is logged. It takes effect at the next start of tritonserver, which cannot receive
    /// it before.
    Log,
}

/// A thread that polls the token file. It ends when this value is dropped.
#[derive(Debug)]
pub(super) struct TokenWatcher(
    #[expect(dead_code, reason = "what it is for is its drop")] mpsc::Sender<()>,
);

impl TokenWatcher {
    /// Starts to follow a file. If no thread can be started, a warning is logged.
    pub(super) fn start(path: PathBuf, secrets: Arc<Secrets>, follow: Follow) -> Option<Self> {
        let (owner, owned) = mpsc::channel();
        let work = move || {
            let mut log = FileLog::default();
            while owned.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                log.check(&path, &secrets, follow);
            }
        };
        let name = "access-token".to_owned();
        match thread::Builder::new().name(name).spawn(work) {
            Ok(_) => Some(Self(owner)),
            Err(error) => {
                tracing::warn!(%error, "cannot watch the access token file: changes to it have no effect");
                None
            }
        }
    }
}

/// The state of the log about the file, so that each change is logged once.
#[derive(Debug, Default)]
struct FileLog {
    /// The content at the last read.
    last: Option<Vec<Secret>>,
    broken: bool,
    logged: Option<Vec<Secret>>,
}

impl FileLog {
    fn check(&mut self, path: &Path, secrets: &Secrets, follow: Follow) {
        let tokens = match read(path) {
            Ok(tokens) => tokens,
            Err(error) => {
                if !self.broken {
                    tracing::warn!("{error}; the previous token remains valid");
                }
                self.broken = true;
                self.last = None;
                return;
            }
        };
        self.broken = false;
        // A file that is being written may contain part of a token, which is easier to guess. So a
        // change takes effect only after two identical reads.
        if self.last.replace(tokens.clone()).as_ref() != Some(&tokens) {
            return;
        }
        let path = path.display();
        match follow {
            Follow::Apply => {
                if secrets.replace(tokens) {
                    tracing::info!(file = %path, "the access token has changed; the new one is in effect");
                }
            }
            Follow::Log => {
                if !secrets.are(&tokens) && self.logged.as_ref() != Some(&tokens) {
                    tracing::warn!(
                        file = %path,
                        "the access token has changed; the old one is in effect until tritonserver restarts"
                    );
                    self.logged = Some(tokens);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tracing::subscriber::with_default;

    use crate::logging::CapturedOutput;

    use super::*;

    #[test]
    fn unreadable_token_file_changes_nothing() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let (old, new) = ("the-old-one-is-it", "the-new-one-is-it");
        let both = format!("{new}\n{old}");
        let secrets = Secrets::new(vec![Secret::new(old)]);
        let mut log = FileLog::default();
        for (text, follow, counts) in [
            ("", Follow::Apply, old),
            ("a b", Follow::Apply, old),
            ("the-new", Follow::Apply, old),
            (new, Follow::Log, old),
            (new, Follow::Log, old),
            (&both, Follow::Apply, old),
            (&both, Follow::Apply, new),
            (&both, Follow::Apply, old),
            (new, Follow::Apply, old),
            (new, Follow::Apply, new),
        ] {
            fs::write(file.path(), text).unwrap();
            log.check(file.path(), &secrets, follow);
            assert!(secrets.have(counts.as_bytes()), "{text}");
        }
        assert!(!secrets.have(old.as_bytes()));
    }

    #[test]
    fn token_changes_when_two_reads_agree() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let secrets = Secrets::new(vec![Secret::new("the-old-one-is-it")]);
        let mut log = FileLog::default();
        let token = "the-new-one-is-written-in-parts";
        for text in [&token[..16], &token[..20], token] {
            fs::write(file.path(), text).unwrap();
            log.check(file.path(), &secrets, Follow::Apply);
            assert!(secrets.have(b"the-old-one-is-it"), "{text}");
        }
        log.check(file.path(), &secrets, Follow::Apply);
        assert!(secrets.have(token.as_bytes()));
    }

    #[test]
    fn each_change_of_the_file_is_logged_once() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let (old, new) = ("the-old-one-is-it", "the-new-one-is-it");
        let (broken, applied, delayed) = (
            "but it is too short; the previous token remains valid",
            "the access token has changed; the new one is in effect",
            "the old one is in effect until tritonserver restarts",
        );
        type Row<'a> = (&'a str, Option<&'a str>);
        let apply: &[Row<'_>] = &[
            (old, None),
            (old, None),
            ("short", Some(broken)),
            ("short", None),
            (old, None),
            ("short", Some(broken)),
            (new, None),
            (new, Some(applied)),
            (new, None),
        ];
        let log: &[Row<'_>] = &[
            (old, None),
            (old, None),
            (new, None),
            (new, Some(delayed)),
            (new, None),
            ("the-third-one-is-it", None),
            ("the-third-one-is-it", Some(delayed)),
            (old, None),
            (old, None),
        ];
        for (follow, table) in [(Follow::Apply, apply), (Follow::Log, log)] {
            let secrets = Secrets::new(vec![Secret::new(old)]);
            let mut state = FileLog::default();
            for (number, (text, expected)) in table.iter().enumerate() {
                fs::write(file.path(), text).unwrap();
                let output = CapturedOutput::default();
                let writer = output.clone();
                let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone());
                with_default(subscriber.finish(), || {
                    state.check(file.path(), &secrets, follow);
                });
                let text = output.text();
                let case = format!("{follow:?} {number}: {text}");
                assert_eq!(
                    text.lines().count(),
                    usize::from(expected.is_some()),
                    "{case}"
                );
                assert!(text.contains(expected.unwrap_or_default()), "{case}");
            }
        }
    }
}
