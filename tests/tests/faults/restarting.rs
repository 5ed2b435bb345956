//! The OpenAI and docs ports of this process while tritonserver has died and is not yet restarted.

use std::fs;
use std::os::unix::fs::symlink;
use std::thread;
use std::time::{Duration, Instant};

use pytriton_tests::{Result, Server};

use crate::engine::{command, installed};
use crate::failed_start::program;
use crate::process::{kill, tritonserver, wait_until};
use crate::{EXIT, http};

/// Longer than the time that a load waits for sessions to reconnect.
const PAST_RECONNECT: Duration = Duration::from_secs(7);

fn complete(server: &Server, model: &str) -> Result<http::Answer> {
    let openai = server.banner().openai.as_deref().unwrap_or_default();
    let body = format!(r#"{{"model":"{model}","prompt":"abc"}}"#);
    http::post(openai, "/v1/completions", "X: x", body.as_bytes())
}

/// A client that lists the models receives an error or the previous list, never an empty list.
fn asked(server: &Server) -> Result<()> {
    let banner = server.banner();
    let openai = banner.openai.as_deref().unwrap_or_default();
    let docs = banner.docs.as_deref().unwrap_or_default();
    let table = [
        (openai, "/v1/models"),
        (openai, "/v1/models/Letters"),
        (docs, "/openapi.json"),
    ];
    for (address, path) in table {
        let answer = http::get(address, path)?;
        let there = answer.status == 200 && answer.body.contains("Letters");
        let explained = answer.body.contains("tritonserver does not respond: ");
        assert!(
            there || (answer.status == 503 && explained),
            "{path}: {answer:?}"
        );
    }
    let answer = complete(server, "Letters")?;
    assert_eq!(answer.status, 503, "{answer:?}");
    assert_eq!(complete(server, "Nope")?.status, 404);
    Ok(())
}

#[test]
fn models_stay_listed_while_tritonserver_restarts() -> Result<()> {
    let home = tempfile::tempdir()?;
    let (real, held) = (installed()?, home.path().join("held"));
    let wait = format!("while [ -e '{}' ]; do sleep 0.05; done", held.display());
    let script = format!("#!/bin/sh\n{wait}\nexec '{real}/bin/tritonserver' \"$@\"\n");
    let folder = home.path().join("engine");
    fs::create_dir_all(folder.join("bin"))?;
    symlink(format!("{real}/caches"), folder.join("caches"))?;
    let binary = program(&folder.join("bin"), 0o755, &script)?;
    let explicit = [
        "--restart",
        "--model-control-mode=explicit",
        "--load-model=Letters",
    ];
    let mut command = command(home.path(), &explicit)?;
    let server = Server::spawn(command.env("PYTRITON_TRITONSERVER", binary))?;
    assert_eq!(complete(&server, "Letters")?.status, 200);
    // The model is served but not loaded.
    assert_eq!(complete(&server, "Members")?.status, 404);
    fs::write(&held, "")?;
    kill(tritonserver(&server))?;
    wait_until("the news of its end", EXIT, || {
        let log = server.log();
        log.is_ok_and(|log| log.contains("restarting it"))
    });
    let begun = Instant::now();
    while begun.elapsed() < PAST_RECONNECT {
        asked(&server)?;
        // The models of the next tritonserver are not known yet.
        assert_eq!(complete(&server, "Members")?.status, 503);
        thread::sleep(Duration::from_millis(100));
    }
    fs::remove_file(&held)?;
    wait_until("the restart", EXIT, || {
        let answer = complete(&server, "Letters");
        answer.is_ok_and(|answer| answer.status == 200)
    });
    wait_until("the news of it", EXIT, || {
        let answer = complete(&server, "Members");
        answer.is_ok_and(|answer| answer.status == 404)
    });
    server.signal("TERM")?;
    assert_eq!(server.wait(EXIT)?.0.code(), Some(0));
    Ok(())
}
