//! Tests the docs page in Debian's Chromium with both engines.
//!
//! Screenshots are written to `target/tmp/screenshots`.

mod examples;
mod snippets;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use pytriton_tests::{Python, Result, Server};

const FOLDER: &str = env!("CARGO_TARGET_TMPDIR");
const MODELS: &str = env!("CARGO_BIN_EXE_page_models");
/// A browser is slow to load pages, and is restarted for each test.
const DEADLINE: Duration = Duration::from_secs(600);
const TOKEN: &str = "sixteen-visible-signs";
/// The load panel needs histograms for its quantiles.
const HISTOGRAMS: [&str; 1] = ["--metrics-config=histogram_latencies=true"];

fn look(file: &str, server: &Server) -> Result<()> {
    look_with(file, server, &[])
}

/// Runs a test file with additional environment variables.
fn look_with(file: &str, server: &Server, more: &[(&str, &str)]) -> Result<()> {
    let python = Python::with_browser(Path::new(FOLDER))?;
    let screenshots = Path::new(FOLDER).join("screenshots");
    let screenshots = screenshots.to_string_lossy();
    let banner = server.banner();
    let mut variables = vec![
        // With the tritonserver engine, the page has its own port.
        (
            "PYTRITON_TEST_HTTP",
            &**banner.docs.as_ref().unwrap_or(&banner.http),
        ),
        ("PYTRITON_TEST_SERVER", &banner.http),
        ("PYTRITON_TEST_SCREENSHOTS", &screenshots),
        ("PYTRITON_TEST_TOKEN", TOKEN),
    ];
    variables.extend(more);
    python.test_within(DEADLINE, file, server, &variables)
}

#[test]
fn page_is_usable_and_accessible() -> Result<()> {
    let server = Server::start(MODELS, &HISTOGRAMS)?;
    look("test_page.py", &server)
}

#[test]
fn hostile_responses_do_not_break_the_page() -> Result<()> {
    let server = Server::start(MODELS, &[])?;
    look("test_page_hostile.py", &server)
}

#[test]
fn page_asks_for_the_token() -> Result<()> {
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
