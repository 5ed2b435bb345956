//! The tritonserver engine: installation, start, and failures.

use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use pytriton_tests::{Engine, Result, Server, finish, tritonserver};

use crate::{MODELS, folder};

/// The time limit for detecting the end of the other process.
const NOTICED: Duration = Duration::from_secs(1);

const EXIT: Duration = Duration::from_secs(10);

/// Returns a command that serves with the tritonserver engine, with its own directory for
/// workspaces.
fn command(home: &Path, arguments: &[&str]) -> Result<Command> {
    let mut command = Engine::Tritonserver.command(MODELS.as_ref(), folder())?;
    let installed = tritonserver(MODELS.as_ref(), folder())?;
    command
        .env("PYTRITON_TRITONSERVER", installed)
        .env("XDG_CACHE_HOME", home)
        .args([
            "--http-port=0",
            "--grpc-port=0",
            "--metrics-port=0",
            "--openai-port=0",
            "--docs-port=0",
        ])
        .args(arguments);
    Ok(command)
}

fn start(home: &Path, arguments: &[&str]) -> Result<Server> {
    Server::spawn(&mut command(home, arguments)?)
}

/// Returns the process ID of a server's tritonserver.
fn child(server: &Server) -> u32 {
    let children = format!("/proc/{0}/task", server.pid());
    let tasks = fs::read_dir(children).into_iter().flatten().flatten();
    tasks
        .filter_map(|task| fs::read_to_string(task.path().join("children")).ok())
        .flat_map(|children| {
            children
                .split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .filter_map(|id| id.parse().ok())
        .next()
        .unwrap_or_else(|| panic!("{} has no child", server.pid()))
}

fn kill(id: u32) -> Result<()> {
    Command::new("sh")
        .args(["-c", &format!("kill -9 {id}")])
        .status()?;
    Ok(())
}

fn wait_until(what: &str, deadline: Duration, done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(
            begun.elapsed() < deadline,
            "{what} took longer than {deadline:?}"
        );
        thread::sleep(Duration::from_millis(5));
    }
}

fn workspaces(home: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(home.join("pytriton/workspaces"))
        .into_iter()
        .flatten()
        .flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect()
}

fn answers(server: &Server) -> bool {
    TcpStream::connect(&server.banner().http).is_ok()
}

#[test]
fn start_and_stop_leave_no_files_or_processes() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), &[])?;
    let first = server
        .banner()
        .text
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned();
    assert!(first.contains("engine tritonserver (/"), "{first}");
    assert_eq!(workspaces(home.path()).len(), 1);
    let child = child(&server);
    server.signal("TERM")?;
    let (status, log) = server.wait(EXIT)?;
    assert_eq!(status.code(), Some(0));
    // The test suite sets this variable, which disables all restrictions.
    let mut lines = log
        .lines()
        .filter(|line| !line.contains("_RESTRICTED_ENDPOINTS removes"));
    assert!(
        lines.all(|line| !line.contains("WARN") && !line.contains("ERROR")),
        "{log}"
    );
    assert!(!Path::new("/proc").join(child.to_string()).exists());
    assert!(workspaces(home.path()).is_empty());
    Ok(())
}

#[test]
fn memory_tunables_are_set_unless_the_user_sets_them() -> Result<()> {
    let home = tempfile::tempdir()?;
    // glibc parses this variable in place and replaces separators.
    let environment = |server: &Server| -> Result<String> {
        let environment = fs::read(format!("/proc/{}/environ", child(server)))?;
        Ok(String::from_utf8_lossy(&environment).replace('\0', ":"))
    };
    let ours = ":GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=8388608:";
    let huge_pages = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled");
    let huge_pages = huge_pages.is_ok_and(|text| !text.contains("[never]"));
    let environment_text = environment(&start(home.path(), &[])?)?;
    assert_eq!(
        environment_text.contains(ours),
        huge_pages,
        "{environment_text}"
    );

    let mut command = command(home.path(), &[])?;
    command.env("GLIBC_TUNABLES", "glibc.malloc.trim_threshold=65536");
    let environment_text = environment(&Server::spawn(&mut command)?)?;
    let own = ":GLIBC_TUNABLES=glibc.malloc.trim_threshold=65536:";
    assert!(environment_text.contains(own), "{environment_text}");
    assert!(
        !environment_text.contains("glibc.malloc.hugetlb"),
        "{environment_text}"
    );
    Ok(())
}

#[test]
fn killed_tritonserver_ends_the_process_with_its_reason() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), &[])?;
    kill(child(&server))?;
    let (status, log) = server.wait(NOTICED)?;
    assert_eq!(status.code(), Some(1));
    assert!(
        log.contains("error: tritonserver was killed by signal 9"),
        "{log}"
    );
    assert!(workspaces(home.path()).is_empty());
    Ok(())
}

#[test]
fn restarted_tritonserver_keeps_its_ports() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), &["--restart"])?;
    for _ in 0..2 {
        let old = child(&server);
        kill(old)?;
        wait_until("the restart", EXIT, || {
            !Path::new("/proc").join(old.to_string()).exists()
        });
        wait_until("the restart", EXIT, || answers(&server));
    }
    Ok(())
}

#[test]
fn killed_process_ends_tritonserver() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), &[])?;
    let child = child(&server);
    kill(server.pid())?;
    wait_until("the end of tritonserver", NOTICED, || !answers(&server));
    let state = || fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
    wait_until("its end", NOTICED, || {
        state().is_empty() || state().contains(") Z ")
    });
    assert_eq!(workspaces(home.path()).len(), 1);
    let next = start(home.path(), &[])?;
    assert_eq!(workspaces(home.path()).len(), 1);
    drop(next);
    Ok(())
}

#[test]
fn refusals_of_tritonserver_are_reported_verbatim() -> Result<()> {
    let home = tempfile::tempdir()?;
    let table = [
        ("--metrics-config=nonsense", "nonsense"),
        (
            "--metrics-config=histogram_latencies=true",
            "tritonserver 2.51.0 does not support `histogram_latencies`, which requires 2.52.0",
        ),
        (
            "--http-max-input-size=5",
            "the option --http-max-input-size",
        ),
        ("--tritonserver=/bin/false", "is not a tritonserver"),
        (
            "--tritonserver=/no/such",
            "no tritonserver found at /no/such",
        ),
    ];
    for (argument, expected) in table {
        let refused = finish(&mut command(home.path(), &[argument])?, EXIT)?;
        assert_eq!(refused.status.code(), Some(1));
        assert!(
            refused.stderr.contains(expected),
            "{argument}: {}",
            refused.stderr
        );
        assert!(workspaces(home.path()).is_empty());
    }
    Ok(())
}

#[test]
fn the_repository_is_written_for_inspection() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let target = folder.path().join("models");
    finish(Command::new(MODELS).arg("repository").arg(&target), EXIT)?.success("repository")?;
    let config = fs::read_to_string(target.join("AddSub/config.pbtxt"))?;
    assert!(
        config.starts_with("name: \"AddSub\"\nbackend: \"pytriton\"\n"),
        "{config}"
    );
    assert!(target.join("AddSub/1").is_dir());
    Ok(())
}
