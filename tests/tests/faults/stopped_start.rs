//! A signal while tritonserver is starting.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use pytriton_tests::Result;

use crate::engine::{command, workspaces};
use crate::failed_start::{impostor, program};
use crate::process::{group, signal, wait_until};
use crate::{EXIT, NOTICED};

/// The time after which a slow start is logged.
const REMINDED: Duration = Duration::from_secs(8);

/// A start that does not complete, and its log.
struct Hanging {
    product: Child,
    log: tempfile::NamedTempFile,
}

impl Hanging {
    fn start(home: &Path, script: &str) -> Result<Self> {
        let binary = program(home, 0o755, script)?;
        let log = tempfile::NamedTempFile::new()?;
        let product = command(home, &[])?
            .env("PYTRITON_TRITONSERVER", binary)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log.reopen()?)
            .spawn()?;
        Ok(Self { product, log })
    }

    fn log(&self) -> String {
        fs::read_to_string(self.log.path()).unwrap_or_default()
    }

    /// Returns the process ID that the script writes to a file.
    fn script(home: &Path) -> Option<u32> {
        let text = fs::read_to_string(home.join("id")).ok()?;
        text.trim().parse().ok()
    }

    fn signal(&self, name: &str) -> Result<()> {
        signal(name, self.product.id())
    }

    fn end(&mut self, name: &str, limit: Duration) -> Result<Option<i32>> {
        self.signal(name)?;
        let begun = Instant::now();
        loop {
            if let Some(status) = self.product.try_wait()? {
                return Ok(status.code());
            }
            assert!(begun.elapsed() < limit, "{}", self.log());
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Hanging {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.product.kill();
        let _ = self.product.wait();
    }
}

#[test]
fn hanging_start_is_awaited_until_a_signal() -> Result<()> {
    let home = tempfile::tempdir()?;
    let script = impostor(&format!(
        "echo $$ > '{}/id'; exec sleep 300",
        home.path().display()
    ))?;
    let mut hanging = Hanging::start(home.path(), &script)?;
    wait_until("the reminder", REMINDED, || {
        hanging
            .log()
            .contains("waiting for tritonserver to be ready")
    });
    let id = Hanging::script(home.path()).unwrap_or_default();
    assert!(!group(id).is_empty());
    assert_eq!(hanging.end("INT", NOTICED)?, Some(1));
    let expected = "error: SIGINT was received before the server was ready";
    assert!(hanging.log().contains(expected), "{}", hanging.log());
    wait_until("its end", NOTICED, || group(id).is_empty());
    assert!(workspaces(home.path()).is_empty());
    Ok(())
}

#[test]
fn hanging_help_process_ends_with_its_parent() -> Result<()> {
    let home = tempfile::tempdir()?;
    let file = home.path().join("id");
    let script = format!(
        "#!/bin/sh\necho $$ > '{}'; exec sleep 300\n",
        file.display()
    );
    let mut hanging = Hanging::start(home.path(), &script)?;
    wait_until("the question", EXIT, || {
        Hanging::script(home.path()).is_some()
    });
    let id = Hanging::script(home.path()).unwrap_or_default();
    assert!(Path::new(&format!("/proc/{id}")).exists());
    // The default action of the signal: no handler is installed yet. SIGINT may be ignored by the
    // parent of the tests.
    assert_eq!(hanging.end("TERM", NOTICED)?, None);
    wait_until("its end", NOTICED, || {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        stat.is_empty() || stat.contains(") Z ")
    });
    assert!(workspaces(home.path()).is_empty());
    Ok(())
}

/// Starts a tritonserver that writes its id and then waits, with this reaction to SIGTERM.
fn waiting(home: &Path, on_term: &str) -> Result<(Hanging, u32)> {
    let folder = home.display();
    let script = impostor(&format!(
        "cd '{folder}'; trap '{on_term}' TERM; echo $$ > id; while :; do sleep 0.1; done"
    ))?;
    let hanging = Hanging::start(home, &script)?;
    wait_until("the start", EXIT, || Hanging::script(home).is_some());
    Ok((hanging, Hanging::script(home).unwrap_or_default()))
}

/// Models of other backends may have processes and shared memory to release.
#[test]
fn a_tritonserver_that_is_starting_is_terminated_and_awaited() -> Result<()> {
    let home = tempfile::tempdir()?;
    let (mut hanging, id) = waiting(home.path(), "sleep 0.5; touch released; exit 0")?;
    assert_eq!(hanging.end("INT", EXIT)?, Some(1));
    assert!(home.path().join("released").exists(), "{}", hanging.log());
    assert!(group(id).is_empty());
    let expected = "error: SIGINT was received before the server was ready";
    assert!(hanging.log().contains(expected), "{}", hanging.log());
    assert!(workspaces(home.path()).is_empty());
    Ok(())
}

#[test]
fn a_tritonserver_that_does_not_stop_while_starting_is_killed() -> Result<()> {
    let home = tempfile::tempdir()?;
    let (mut hanging, id) = waiting(home.path(), "")?;
    let begun = Instant::now();
    assert_eq!(hanging.end("TERM", EXIT)?, Some(1));
    assert!(begun.elapsed() > NOTICED, "{:?}", begun.elapsed());
    assert!(group(id).is_empty());
    assert!(hanging.log().contains("did not stop in time; killing it"));
    // A second signal does not wait.
    let home = tempfile::tempdir()?;
    let (mut hanging, id) = waiting(home.path(), "")?;
    hanging.signal("TERM")?;
    std::thread::sleep(NOTICED / 2);
    assert!(!group(id).is_empty());
    assert_eq!(hanging.end("TERM", NOTICED)?, Some(1));
    wait_until("its end", NOTICED, || group(id).is_empty());
    assert!(workspaces(home.path()).is_empty());
    Ok(())
}
