//! A tritonserver that does not end in order after SIGTERM: the process must not end with success.

use std::thread;
use std::time::Duration;

use pytriton_tests::Result;

use crate::engine::{start, workspaces};
use crate::process::{group, kill, signal, tritonserver, wait_until};
use crate::random::Random;
use crate::{EXIT, NOTICED, http};

/// The time limit for a server that is killed five seconds after its exit timeout.
const KILLED: Duration = Duration::from_secs(20);

/// The number of times that a stopping tritonserver is killed.
const ROUNDS: usize = 4;

/// `moment` is the time between SIGTERM and the moment from which tritonserver does not run.
fn hangs(arguments: &[&str], moment: Option<Duration>) -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(
        home.path(),
        &[&["--exit-timeout-secs=1"], arguments].concat(),
    )?;
    let child = tritonserver(&server);
    if moment.is_none() {
        signal("STOP", child)?;
    }
    server.signal("TERM")?;
    if let Some(moment) = moment {
        thread::sleep(moment);
        signal("STOP", child)?;
    }
    let (status, log) = server.wait(KILLED)?;
    assert_eq!(status.code(), Some(1), "{log}");
    let expected = "error: tritonserver did not exit within 1 seconds";
    assert!(log.contains(expected), "{log}");
    assert!(group(child).is_empty());
    assert!(workspaces(home.path()).is_empty());
    Ok(())
}

#[test]
fn tritonserver_that_hangs_before_the_signal_exceeds_the_deadline() -> Result<()> {
    hangs(&[], None)
}

/// It closes all connections, and with traces to write it ends by itself.
#[test]
fn tritonserver_that_hangs_after_the_signal_exceeds_the_deadline() -> Result<()> {
    hangs(
        &["--trace-config=rate=1000"],
        Some(Duration::from_millis(400)),
    )
}

#[test]
fn tritonserver_killed_during_shutdown_is_an_error() -> Result<()> {
    let home = tempfile::tempdir()?;
    let mut random = Random::new();
    for _ in 0..ROUNDS {
        let server = start(home.path(), &[])?;
        let child = tritonserver(&server);
        let banner = server.banner();
        let naps = [(); 2].map(|()| http::nap(&banner.http, "Slow", 8000));
        let waiting = || {
            let pending = "nv_inference_pending_request_count";
            http::metric(&banner.metrics, pending, "Slow").is_ok_and(|count| count > 0.0)
        };
        wait_until("the arrival of the requests", EXIT, waiting);
        server.signal("TERM")?;
        server.log_with(&["stopping: completing accepted requests"])?;
        thread::sleep(random.moment(Duration::from_millis(500)));
        kill(child)?;
        let (status, log) = server.wait(EXIT)?;
        assert_eq!(status.code(), Some(1), "{log}");
        let expected = "error: tritonserver was killed by signal 9";
        assert!(log.contains(expected), "{log}");
        for nap in naps {
            assert!(http::receive(nap?).map_or(true, |answer| answer.status == 0));
        }
        wait_until("the end of tritonserver", NOTICED, || {
            group(child).is_empty()
        });
    }
    assert!(workspaces(home.path()).is_empty());
    Ok(())
}
