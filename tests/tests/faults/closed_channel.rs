//! Connections between worker and tritonserver that break while both processes run.

use std::time::{Duration, Instant};

use pytriton_tests::{Result, Server};
use rustix::process::Resource;
use serde_json::Value;

use crate::connection::Connection;
use crate::engine::start;
use crate::ledger::{Clients, Entry, Habit, MODELS, Model, Verdict};
use crate::limit::Limit;
use crate::process::{child, wait_until};
use crate::random::Random;
use crate::sockets::{Socket, connections};
use crate::{EXIT, http};

/// A descriptor limit that prevents any process from opening another descriptor.
const NO_MORE: u64 = 3;

/// The number of breaks under load, and the maximum pause between them, which is sometimes shorter
/// than a reconnect.
const ROUNDS: usize = 40;
const MOMENTS: Duration = Duration::from_millis(50);

/// The approximate time of a reconnect.
const RETURN: Duration = Duration::from_millis(10);

fn sever_all(server: &Server) -> Result<Vec<Socket>> {
    let connections = connections(server);
    assert!(connections.len() >= MODELS.len(), "{connections:?}");
    connections.iter().try_for_each(Socket::sever)?;
    Ok(connections)
}

/// Less than any timeout for a closed connection: the shortest is five seconds, for a handshake.
const AT_ONCE: Duration = Duration::from_secs(4);

/// Returns the result of one request, which must be immediate.
fn ask(server: &Server, model: Model) -> Result<Verdict> {
    let entry = Entry::new(model, 2);
    let begun = Instant::now();
    let answer = Connection::new(&server.banner().http, EXIT).infer(model.name, &entry.body())?;
    let took = begun.elapsed();
    assert!(took < AT_ONCE, "{answer:?} after {took:?}");
    Ok(entry.judge(&answer))
}

fn right(server: &Server, model: Model) -> bool {
    ask(server, model).is_ok_and(|verdict| verdict == Verdict::Right)
}

fn all_right(server: &Server) -> bool {
    MODELS.iter().all(|model| right(server, *model))
}

/// The time limit for detecting a break by a request to each model in turn, next to other tests.
const ASKED: Duration = Duration::from_secs(20);

/// The time limit for the return of all connections; each takes a few milliseconds.
const RETURNED: Duration = Duration::from_secs(5);

#[test]
fn closed_channel_is_reestablished() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), &[])?;
    let id = child(&server);
    for _ in 0..3 {
        let old = sever_all(&server)?;
        // No broken connection is kept.
        wait_until("the return of all channels", RETURNED, || {
            let new = connections(&server);
            new.len() == old.len() && !new.iter().any(|socket| old.contains(socket))
        });
        wait_until("the return of all models", ASKED, || all_right(&server));
    }
    assert_eq!(child(&server), id);
    server.signal("TERM")?;
    assert_eq!(server.wait(EXIT)?.0.code(), Some(0));
    Ok(())
}

/// Both processes run: every active request gets a response or an error, and the next one succeeds.
#[test]
fn closed_channels_under_load_cause_only_errors() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), &[])?;
    let mut random = Random::new();
    let address = &server.banner().http;
    let habits = [Habit::All, Habit::Some, Habit::All, Habit::Refused];
    let clients = Clients::start(address, &MODELS, &habits, None, &mut random)?;
    for _ in 0..ROUNDS {
        std::thread::sleep(random.moment(MOMENTS));
        // Some connections may just have been closed, and others may not be back yet.
        let sockets = connections(&server);
        match random.below(2) {
            0 => sockets.iter().try_for_each(Socket::sever)?,
            _ => {
                let one = sockets.get(random.below(sockets.len()));
                one.map_or(Ok(()), Socket::sever)?;
            }
        }
        let answered = clients.answered();
        wait_until("the next answers", RETURNED, || {
            clients.answered() > answered + 10
        });
    }
    wait_until("the return of all models", ASKED, || all_right(&server));
    let book = clients.stop();
    book.check();
    assert!(book.cut.is_empty() && book.late.is_empty(), "{book:?}");
    assert!(all_right(&server));
    Ok(())
}

/// A new connection breaks while the end of the previous one is still being processed.
#[test]
fn repeated_failures_are_recovered() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), &[])?;
    let mut random = Random::new();
    let clients = Clients::start(
        &server.banner().http,
        &MODELS,
        &[Habit::All, Habit::Some],
        None,
        &mut random,
    )?;
    for _ in 0..ROUNDS {
        for _ in 0..5 {
            connections(&server).iter().try_for_each(Socket::sever)?;
            std::thread::sleep(random.moment(RETURN));
        }
        wait_until("the return of all models", ASKED, || all_right(&server));
    }
    clients.stop().check();
    Ok(())
}

/// The worker accepts no connection while it has no descriptor for it.
#[test]
fn requests_fail_while_there_is_no_channel() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), &[])?;
    let limit = Limit::lower(server.pid(), Resource::Nofile, NO_MORE)?;
    let old = sever_all(&server)?;
    wait_until("the end of all channels", RETURNED, || {
        !connections(&server)
            .iter()
            .any(|socket| old.contains(socket))
    });
    for model in MODELS {
        let verdict = ask(&server, model)?;
        let Verdict::Failed(error) = verdict else {
            panic!("{}: {verdict:?}", model.name);
        };
        assert!(error.starts_with("503 "), "{error}");
    }
    drop(limit);
    wait_until("the return of all models", ASKED, || all_right(&server));
    Ok(())
}

/// A server is ready if all its models are, and a model if at least one of its instances is
/// reachable.
#[test]
fn unreachable_model_is_not_ready() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), &[])?;
    let all = ready_models(&server)?;
    assert!(is_ready(&server, "/v2/health/ready"));
    let limit = Limit::lower(server.pid(), Resource::Nofile, NO_MORE)?;
    let mut connections = connections(&server);
    let last = connections.pop();
    connections.iter().try_for_each(Socket::sever)?;
    wait_until("the end of all models but one", ASKED, || {
        ready_models(&server).is_ok_and(|ready| ready.len() == 1)
    });
    assert!(!is_ready(&server, "/v2/health/ready"));
    last.iter().try_for_each(Socket::sever)?;
    wait_until("the end of all models", ASKED, || {
        ready_models(&server).is_ok_and(|ready| ready.is_empty())
    });
    assert!(is_ready(&server, "/v2/health/live"));
    drop(limit);
    wait_until("the return of all models", ASKED, || {
        ready_models(&server).is_ok_and(|ready| ready == all)
    });
    assert!(is_ready(&server, "/v2/health/ready"));
    assert!(all_right(&server));
    Ok(())
}

fn is_ready(server: &Server, path: &str) -> bool {
    let answer = http::get(&server.banner().http, path);
    answer.is_ok_and(|answer| answer.status == 200)
}

/// Returns the versions of models that are reported as ready.
fn ready_models(server: &Server) -> Result<Vec<String>> {
    let path = "/v2/repository/index";
    let index = Connection::new(&server.banner().http, EXIT).post(path, "{}")?;
    let index: Value = serde_json::from_str(&index.body).unwrap_or_default();
    let models = index.as_array().into_iter().flatten();
    let paths = models.filter_map(|model| {
        let (name, version) = (model["name"].as_str()?, model["version"].as_str()?);
        Some(format!("/v2/models/{name}/versions/{version}/ready"))
    });
    Ok(paths.filter(|path| is_ready(server, path)).collect())
}
