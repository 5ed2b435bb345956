//! The page of the models in Debian's Chromium, with the embedded engine and beside tritonserver.
//!
//! What the page looked like meanwhile is kept in `target/tmp/screenshots`.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use pytriton_tests::{Engine, Python, Result, Server};

const FOLDER: &str = env!("CARGO_TARGET_TMPDIR");
const MODELS: &str = env!("CARGO_BIN_EXE_page_models");
/// A browser takes its time for each page, and starts anew for each test.
const DEADLINE: Duration = Duration::from_secs(300);
const TOKEN: &str = "sixteen-visible-signs";
/// Without them the panel has no quantiles.
const HISTOGRAMS: [&str; 1] = ["--metrics-config=histogram_latencies=true"];

fn look(file: &str, server: &Server) -> Result<()> {
    let python = Python::with_browser(Path::new(FOLDER))?;
    let screenshots = Path::new(FOLDER).join("screenshots");
    let screenshots = screenshots.to_string_lossy();
    let banner = server.banner();
    let variables = [
        // Beside tritonserver it has a port of its own.
        (
            "PYTRITON_TEST_HTTP",
            &**banner.docs.as_ref().unwrap_or(&banner.http),
        ),
        ("PYTRITON_TEST_SCREENSHOTS", &*screenshots),
        ("PYTRITON_TEST_TOKEN", TOKEN),
    ];
    python.test_within(DEADLINE, file, server, &variables)
}

#[test]
fn every_form_of_the_examples_answers() -> Result<()> {
    let server = Server::start(MODELS, &HISTOGRAMS)?;
    look("test_page_examples.py", &server)
}

#[test]
fn every_form_answers_beside_tritonserver() -> Result<()> {
    let (engine, folder) = (Engine::Tritonserver, Path::new(FOLDER));
    let server = Server::start_with(engine, folder, MODELS, &[])?;
    look("test_page_examples.py", &server)
}

#[test]
fn models_that_are_made_at_run_time_have_the_page_too() -> Result<()> {
    for binary in [
        env!("CARGO_BIN_EXE_page_multi_instance"),
        env!("CARGO_BIN_EXE_page_online_learning"),
    ] {
        let server = Server::start(binary, &HISTOGRAMS)?;
        look("test_page_bound.py", &server)?;
    }
    Ok(())
}

#[test]
fn it_is_for_everybody() -> Result<()> {
    let server = Server::start(MODELS, &HISTOGRAMS)?;
    look("test_page.py", &server)
}

#[test]
fn it_asks_for_the_token() -> Result<()> {
    for (closed, file) in [
        ("metadata,inference,statistics", "test_page_access.py"),
        ("statistics", "test_page_panel.py"),
    ] {
        let mut command = Command::new(MODELS);
        command
            .args(["--http-port=0", "--grpc-port=0", "--metrics-port=0"])
            .args(["--openai-port=0", "--restricted-endpoints", closed])
            .env("PYTRITON_TRITON_CONFIG_ACCESS_TOKEN", TOKEN);
        look(file, &Server::spawn(&mut command)?)?;
    }
    Ok(())
}
