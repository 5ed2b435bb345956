//! Real children.

use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use super::*;
use crate::triton::Endpoints;

const SOON: Duration = Duration::from_secs(1);

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
    let state = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    // A zombie waits for a parent that is not us.
    state
        .rsplit(") ")
        .next()
        .is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}

#[tokio::test]
async fn an_exit_is_noticed_with_its_reason() {
    let (child, lines) = shell(
        "echo out; echo 'E0101 00:00:00.0 1 a.cc:1] \"no such model\"' >&2; echo 'error: giving up'; exit 3",
    );
    let exit = timeout(SOON, child.exited()).await.unwrap();
    assert_eq!(
        exit.to_string(),
        "exited with code 3\n  no such model\n  error: giving up"
    );
    assert!(!exit.success());
    assert_eq!(lines.iter().next().as_deref(), Some("out"));
    assert_eq!(child.id(), None);
}

#[tokio::test]
async fn stop_asks_first_and_insists_after_the_grace() {
    let (child, lines) = shell("trap 'exit 0' TERM; echo up; while :; do sleep 0.01; done");
    lines.recv_timeout(SOON).unwrap();
    assert!(child.stop(SOON).await.success());
    let (child, lines) = shell("trap '' TERM; echo up; while :; do sleep 0.01; done");
    lines.recv_timeout(SOON).unwrap();
    let begun = Instant::now();
    let exit = child.stop(Duration::from_millis(100)).await;
    assert!(exit.to_string().contains("SIGKILL"), "{exit}");
    assert!(begun.elapsed() < SOON);
}

#[tokio::test]
async fn one_that_hangs_in_its_crash_is_killed() {
    let (child, _) = shell("echo 'Signal (11) received.' >&2; exec sleep 60");
    let exit = timeout(Duration::from_secs(10), child.exited()).await;
    assert!(exit.unwrap().to_string().contains("SIGKILL"));
    let (child, _) = shell("echo 'Signal (15) received.' >&2; sleep 6; exit 3");
    let exit = timeout(Duration::from_secs(10), child.exited()).await;
    assert_eq!(exit.unwrap().status.code(), Some(3));
}

#[tokio::test]
async fn nothing_of_the_group_stays_behind() {
    for drop_it in [true, false] {
        let (child, lines) = shell("sleep 60 & echo $!; echo $$; [ -t 0 ] || sleep 60");
        let [inner, outer] = [(); 2].map(|()| lines.recv_timeout(SOON).unwrap().parse().unwrap());
        assert!(running(inner) && running(outer) && child.id() == Some(outer));
        match drop_it {
            true => drop(child),
            false => assert!(!child.stop(SOON).await.success()),
        }
        let deadline = Instant::now() + SOON;
        while running(inner) || running(outer) {
            assert!(Instant::now() < deadline);
            sleep(Duration::from_millis(5)).await;
        }
    }
}

#[tokio::test]
async fn the_child_outlives_the_thread_that_asked_for_it() {
    let (child, _) = std::thread::spawn(|| shell("sleep 60")).join().unwrap();
    sleep(Duration::from_millis(100)).await;
    assert!(running(child.id().unwrap()));
}

#[tokio::test]
async fn what_cannot_be_started_says_so() {
    let error =
        Child::spawn(Command::new("/no/such/tritonserver"), Stdio::null(), |_| {}).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}

#[tokio::test]
async fn a_death_before_readiness_is_reported_at_once() {
    let (child, _) = shell("sleep 0.05; echo 'error: broken'; exit 1");
    let ports = Ports::find(Endpoints {
        http: Some(([127, 0, 0, 1], 0).into()),
        ..Endpoints::default()
    });
    let endpoints = ports.unwrap().endpoints;
    let exit = timeout(SOON, ready(&child, &endpoints, "ready", SOON)).await;
    let Err(NotReady::Ended(exit)) = exit.unwrap() else {
        panic!("it is not ready");
    };
    assert_eq!(exit.last_words, ["error: broken"]);
}

#[tokio::test]
async fn one_that_hangs_while_it_starts_is_told_of() {
    let (child, lines) = shell("echo 'error: still loading'; exec sleep 60");
    lines.recv_timeout(SOON).unwrap();
    let free = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let closed = free.local_addr().unwrap();
    drop(free);
    let deaf = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let open = deaf.local_addr().unwrap();
    let table = [
        (
            Some(closed),
            Some(closed),
            format!("its port for gRPC ({closed}) takes no connection"),
        ),
        (
            Some(open),
            Some(closed),
            format!("/v2/health/live at {closed} is not answered"),
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
        let Err(NotReady::Late(late)) = late else {
            panic!("{late:?}");
        };
        let expected = format!(
            "was not ready within 0 seconds, which --ready-timeout-secs sets: {missing}\n  error: still loading"
        );
        assert_eq!(late.to_string(), expected);
    }
    assert!(child.id().is_some());
}

#[tokio::test]
async fn long_and_broken_lines_do_no_harm() {
    let (child, lines) = shell("head -c 200000 /dev/zero; printf '\\n\\377\\376 x\\n'; exit 1");
    assert!(!timeout(SOON, child.exited()).await.unwrap().success());
    let lines: Vec<String> = lines.iter().collect();
    assert_eq!(lines.last().map(String::as_str), Some("\u{fffd}\u{fffd} x"));
    assert!(lines.iter().all(|line| line.len() <= 64 << 10));
}

#[tokio::test]
async fn without_complaints_the_last_line_is_the_reason() {
    let (child, _) = shell("echo usage; echo; echo 'no such option'; echo; exit 1");
    let exit = timeout(SOON, child.exited()).await.unwrap();
    assert_eq!(exit.last_words, ["no such option"]);
}
