//! Tests with real child processes.

use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use super::*;
use crate::triton::Endpoints;

const TEST_TIMEOUT: Duration = Duration::from_secs(1);

fn shell(script: &str) -> (Child, mpsc::Receiver<String>) {
    let (heard, lines) = mpsc::channel();
    let mut command = Command::new("sh");
    command.arg("-c").arg(script);
    let child = Child::spawn(command, Stdio::null(), move |line| {
        drop(heard.send(line.to_owned()));
    })
    .unwrap();
    (child, lines)
}

fn running(id: u32) -> bool {
    ProcessStat::of(id).is_some_and(ProcessStat::is_running)
}

#[tokio::test]
async fn an_exit_is_noticed_with_its_reason() {
    let (child, lines) = shell(
        "echo out; echo 'E0101 00:00:00.0 1 a.cc:1] \"no such model\"' >&2; echo 'error: giving up'; exit 3",
    );
    let exit = timeout(TEST_TIMEOUT, child.exited()).await.unwrap();
    assert_eq!(
        exit.to_string(),
        "exited with code 3\n  no such model\n  error: giving up"
    );
    assert!(!exit.success());
    assert_eq!(lines.iter().next().as_deref(), Some("out"));
    assert_eq!(child.id(), None);
}

#[tokio::test]
async fn stop_terminates_first_and_kills_after_the_grace_period() {
    let (child, lines) = shell("trap 'exit 0' TERM; echo up; while :; do sleep 0.01; done");
    lines.recv_timeout(TEST_TIMEOUT).unwrap();
    assert!(child.stop(TEST_TIMEOUT).await.success());
    let (child, lines) = shell("trap '' TERM; echo up; while :; do sleep 0.01; done");
    lines.recv_timeout(TEST_TIMEOUT).unwrap();
    let begun = Instant::now();
    let exit = child.stop(Duration::from_millis(100)).await;
    assert!(exit.to_string().contains("SIGKILL"), "{exit}");
    assert!(begun.elapsed() < TEST_TIMEOUT);
}

#[tokio::test]
async fn process_that_hangs_in_its_crash_handler_is_killed() {
    // While a handler of a signal runs, the signal is blocked.
    let script = "import signal, time; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGSEGV]); \
                  print('Signal (11) received.', flush=True); time.sleep(60)";
    let (child, _) = shell(&format!("exec python3 -c \"{script}\""));
    let exit = timeout(Duration::from_secs(20), child.exited()).await;
    assert!(exit.unwrap().to_string().contains("SIGKILL"));
}

#[tokio::test]
async fn log_line_about_a_signal_does_not_end_the_process() {
    for line in ["Signal (11) received.", "Signal (15) received."] {
        let (child, _) = shell(&format!("echo '{line}' >&2; sleep 6; exit 3"));
        let exit = timeout(Duration::from_secs(20), child.exited()).await;
        assert_eq!(exit.unwrap().status.code(), Some(3), "{line}");
    }
}

/// The output of 2.51 after a `load` whose parameter `file:` has a path that is too long.
#[tokio::test]
async fn a_crash_is_reported_with_its_cause() {
    let (child, _) = shell(
        "echo \"terminate called after throwing an instance of 'std::filesystem::__cxx11::filesystem_error'\"; \
         echo '  what():  filesystem error: status: File name too long [/tmp/folder/aaaa'; echo 'Signal (6) received.'; \
         echo ' 0# 0x000055A4 in bin/tritonserver'; echo '10# std::filesystem::weakly_canonical() in /lib/libstdc++.so.6'; \
         echo '19# TRITONSERVER_ServerLoadModelWithParameters in /opt/lib/libtritonserver.so'; \
         echo '30# 0x00007F5E in /lib/libc.so.6'; exit 134",
    );
    let exit = timeout(TEST_TIMEOUT, child.exited()).await.unwrap();
    let expected = [
        "terminate called after throwing an instance of 'std::filesystem::__cxx11::filesystem_error'",
        "what():  filesystem error: status: File name too long [/tmp/folder/aaaa",
        "Signal (6) received.",
        "in TRITONSERVER_ServerLoadModelWithParameters",
    ];
    assert_eq!(exit.last_lines, expected);
}

/// Errors of earlier requests follow the cause, and neither log lines nor the stack trace hide it.
#[tokio::test]
async fn cause_of_a_crash_is_reported_first() {
    let causes = [
        "free(): invalid pointer",
        "double free or corruption (fasttop)",
        "*** stack smashing detected ***: terminated",
        "corrupted size vs. prev_size",
        "tritonserver: grpc_server.cc:12: void f(): Assertion `ready' failed.",
        "pure virtual method called",
    ];
    for cause in causes {
        let (child, _) = shell(&format!(
            "echo 'E0101 00:00:00.0 1 a.cc:1] \"no such model\"'; echo \"{}\"; \
             echo 'I0101 00:00:00.0 1 a.cc:1] \"busy\"'; echo 'Signal (6) received.'; \
             echo ' 0# 0x000055A4 in bin/tritonserver'; echo '30# 0x00007F5E in /lib/libc.so.6'; exit 134",
            cause.replace('`', "\\`"),
        ));
        let exit = timeout(TEST_TIMEOUT, child.exited()).await.unwrap();
        let expected = [cause, "Signal (6) received.", "no such model"];
        assert_eq!(exit.last_lines, expected);
    }
}

#[tokio::test]
async fn all_processes_of_the_group_are_ended() {
    for drop_it in [true, false] {
        let (child, lines) = shell("sleep 60 & echo $!; echo $$; [ -t 0 ] || sleep 60");
        let [inner, outer] =
            [(); 2].map(|()| lines.recv_timeout(TEST_TIMEOUT).unwrap().parse().unwrap());
        assert!(running(inner) && running(outer) && child.id() == Some(outer));
        match drop_it {
            true => drop(child),
            false => assert!(!child.stop(TEST_TIMEOUT).await.success()),
        }
        let deadline = Instant::now() + TEST_TIMEOUT;
        while running(inner) || running(outer) {
            assert!(Instant::now() < deadline);
            sleep(Duration::from_millis(5)).await;
        }
    }
}

#[tokio::test]
async fn child_outlives_the_thread_that_started_it() {
    let (child, _) = std::thread::spawn(|| shell("sleep 60")).join().unwrap();
    sleep(Duration::from_millis(100)).await;
    assert!(running(child.id().unwrap()));
}

#[tokio::test]
async fn failed_start_is_reported() {
    let error =
        Child::spawn(Command::new("/no/such/tritonserver"), Stdio::null(), |_| {}).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}

#[tokio::test]
async fn exit_before_readiness_is_reported_at_once() {
    let (child, _) = shell("sleep 0.05; echo 'error: broken'; exit 1");
    let ports = Ports::find(Endpoints {
        http: Some(([127, 0, 0, 1], 0).into()),
        ..Endpoints::default()
    });
    let endpoints = ports.unwrap().endpoints;
    let exit = timeout(
        TEST_TIMEOUT,
        ready(&child, &endpoints, "ready", TEST_TIMEOUT),
    )
    .await;
    let Err(NotReady::Ended(exit)) = exit.unwrap() else {
        panic!("it is not ready");
    };
    assert_eq!(exit.last_lines, ["error: broken"]);
}

#[tokio::test]
async fn a_hanging_start_is_reported() {
    let (child, lines) = shell("echo 'error: still loading'; exec sleep 60");
    lines.recv_timeout(TEST_TIMEOUT).unwrap();
    let free = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let closed = free.local_addr().unwrap();
    drop(free);
    let table = [
        (
            Some(closed),
            Some(closed),
            format!("its gRPC port ({closed}) does not accept connections"),
        ),
        (
            None,
            Some(closed),
            format!("/v2/health/live at {closed} does not respond"),
        ),
    ];
    for (grpc, http, missing) in table {
        let endpoints = Endpoints {
            grpc,
            http,
            metrics: None,
        };
        let time = Duration::from_millis(20);
        let late = ready(&child, &endpoints, "live", time).await;
        let Err(NotReady::StartupTimeout(late)) = late else {
            panic!("{late:?}");
        };
        let expected = format!(
            "was not ready within 0 seconds (option --ready-timeout-secs): {missing}\n  error: still loading"
        );
        assert_eq!(late.to_string(), expected);
    }
    assert!(child.id().is_some());
}

/// Another server has the port and is ready.
#[tokio::test]
async fn readiness_of_another_server_is_ignored() {
    let other = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = other.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in other.incoming().flatten() {
            let _ = std::io::Write::write_all(&mut stream, b"HTTP/1.1 200 OK\r\n\r\n");
            let _ = std::io::Read::read(&mut stream, &mut [0; 1000]);
        }
    });
    let (child, _) = shell("sleep 0.5; echo 'error: address already in use'; exit 1");
    let endpoints = Endpoints {
        http: Some(address),
        ..Endpoints::default()
    };
    let time = Duration::from_millis(200);
    let Err(NotReady::StartupTimeout(late)) = ready(&child, &endpoints, "ready", time).await else {
        panic!("it is ready");
    };
    let expected = format!("its HTTP port ({address}) belongs to another process");
    assert_eq!(late.missing, expected);
    let ended = ready(&child, &endpoints, "ready", Duration::from_secs(10)).await;
    assert!(matches!(ended, Err(NotReady::Ended(_))), "{ended:?}");
}

#[tokio::test]
async fn long_and_invalid_lines_are_read() {
    let (child, lines) = shell("head -c 200000 /dev/zero; printf '\\n\\377\\376 x\\n'; exit 1");
    assert!(
        !timeout(TEST_TIMEOUT, child.exited())
            .await
            .unwrap()
            .success()
    );
    let lines: Vec<String> = lines.iter().collect();
    assert_eq!(lines.last().map(String::as_str), Some("\u{fffd}\u{fffd} x"));
    assert!(lines.iter().all(|line| line.len() <= 64 << 10));
}

/// With `--log-file`, tritonserver writes its errors to that file only.
#[tokio::test]
async fn errors_in_the_log_file_are_part_of_the_report() {
    const TAKEN: &str =
        "failed to start HTTP service: Unavailable - Socket '127.0.0.1:1' already in use";
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let line = |level: char, text: &str| format!("{level}0101 00:00:00.0 1 a.cc:1] \"{text}\"\n");
    let old = line('E', "an error of another process, already in use");
    let many = line('I', "x").repeat(10_000) + &line('E', TAKEN);
    let pipe = Command::new("mkfifo").arg(path("pipe")).status().unwrap();
    assert!(pipe.success());
    // The file, what it contains before and after the start, and the errors of the process.
    let table: [(_, Option<&str>, String, &[&str]); 6] = [
        (path("none"), None, String::new(), &[]),
        (path("one"), None, line('E', TAKEN), &[TAKEN]),
        (path("old"), Some(&old), line('I', "started"), &[]),
        (
            path("two"),
            Some(&old),
            line('E', "first") + &line('E', TAKEN),
            &["first", TAKEN],
        ),
        (path("many"), Some(&old), many, &[TAKEN]),
        (path("pipe"), None, String::new(), &[]),
    ];
    for (path, before, after, expected) in table {
        if let Some(before) = before {
            std::fs::write(&path, before).unwrap();
        }
        let file = LogFile::new(&path);
        if !after.is_empty() {
            let before = before.unwrap_or_default();
            std::fs::write(&path, before.to_owned() + &after).unwrap();
        }
        let (child, _) = shell("echo 'error: creating server'; exit 1");
        let child = child.logging_to(Some(file));
        let exit = timeout(TEST_TIMEOUT, child.exited()).await.unwrap();
        assert_eq!(exit.last_lines[0], "error: creating server");
        assert_eq!(exit.last_lines[1..], *expected, "{path:?}");
        assert_eq!(exit.is_port_in_use(), expected.contains(&TAKEN), "{path:?}");
    }
}

/// As `logrotate` does with `copytruncate`.
#[tokio::test]
async fn truncated_log_file_is_read_from_its_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    std::fs::write(&path, "E0101 00:00:00.0 1 a.cc:1] \"old\"\n".repeat(9)).unwrap();
    let file = LogFile::new(&path);
    std::fs::write(&path, "E0101 00:00:00.0 1 a.cc:1] \"new\"\n").unwrap();
    let (child, _) = shell("exit 1");
    let child = child.logging_to(Some(file));
    let exit = timeout(TEST_TIMEOUT, child.exited()).await.unwrap();
    assert_eq!(exit.last_lines, ["new"]);
}

#[tokio::test]
async fn last_line_is_the_reason_without_an_error_line() {
    let (child, _) = shell("echo usage; echo; echo 'no such option'; echo; exit 1");
    let exit = timeout(TEST_TIMEOUT, child.exited()).await.unwrap();
    assert_eq!(exit.last_lines, ["no such option"]);
}
