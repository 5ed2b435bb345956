//! Channels that break while both processes live.

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

/// Nobody who lives has so few descriptors that it could open one more.
const NO_MORE: u64 = 3;

/// How often sessions break under load, and the most that lies between: now and then less than they take to return.
const ROUNDS: usize = 40;
const MOMENTS: Duration = Duration::from_millis(50);

/// About what a session takes to return.
const RETURN: Duration = Duration::from_millis(10);

fn sever_all(server: &Server) -> Result<Vec<Socket>> {
    let connections = connections(server);
    assert!(connections.len() >= MODELS.len(), "{connections:?}");
    connections.iter().try_for_each(Socket::sever)?;
    Ok(connections)
}

/// Less than anything waits for that has gone: the least is five seconds, of a greeting.
const AT_ONCE: Duration = Duration::from_secs(4);

/// What one request is answered, which must be at once.
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

/// In which that is seen where every model is asked for it, one after the other, beside what other tests do.
const ASKED: Duration = Duration::from_secs(20);

/// In which all channels are there again, of which each takes some milliseconds by itself.
const RETURNED: Duration = Duration::from_secs(5);

#[test]
fn service_returns_by_itself() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), &[])?;
    let id = child(&server);
    for _ in 0..3 {
        let old = sever_all(&server)?;
        // Nothing that is broken is kept.
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

/// Both processes live: whatever was under way gets an answer or an error, and the next is right again.
#[test]
fn under_load_nothing_is_wrong_and_nothing_waits() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), &[])?;
    let mut random = Random::new();
    let address = &server.banner().http;
    let habits = [Habit::All, Habit::Some, Habit::All, Habit::Refused];
    let clients = Clients::start(address, &MODELS, &habits, None, &mut random)?;
    for _ in 0..ROUNDS {
        std::thread::sleep(random.moment(MOMENTS));
        // Some may have just been given up, and others not yet be there again.
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

/// A channel that is there again breaks while it is still being told that the one before is gone.
#[test]
fn however_soon_it_breaks_again_it_returns() -> Result<()> {
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

/// The worker takes no connection as long as it has no descriptor for it.
#[test]
fn as_long_as_there_is_no_channel_there_are_errors() -> Result<()> {
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

/// A server is ready when all its models are, and a model when one of its instances can be reached.
#[test]
fn what_cannot_be_reached_is_not_ready() -> Result<()> {
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

/// The versions of models that say of themselves that they are ready.
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
