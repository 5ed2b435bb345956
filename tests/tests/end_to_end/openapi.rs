//! The OpenAPI document, read by independent programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pytriton_tests::{Engine, Python, Result, Server, finish};
use tempfile::TempDir;

use crate::command_line::{DEADLINE, run};
use crate::{MODELS, folder, serve};

const LINEAR: &str = env!("CARGO_BIN_EXE_example_linear");
/// The examples that use the command line.
const EXAMPLES: [&str; 16] = [
    env!("CARGO_BIN_EXE_example_add_sub"),
    env!("CARGO_BIN_EXE_example_embeddings"),
    env!("CARGO_BIN_EXE_example_first_value"),
    env!("CARGO_BIN_EXE_example_grouping"),
    env!("CARGO_BIN_EXE_example_identity"),
    LINEAR,
    env!("CARGO_BIN_EXE_example_magika"),
    env!("CARGO_BIN_EXE_example_multiple_models"),
    env!("CARGO_BIN_EXE_example_native_backend"),
    env!("CARGO_BIN_EXE_example_ocr"),
    env!("CARGO_BIN_EXE_example_optionals"),
    env!("CARGO_BIN_EXE_example_parameters"),
    env!("CARGO_BIN_EXE_example_sentiment"),
    env!("CARGO_BIN_EXE_example_speech"),
    env!("CARGO_BIN_EXE_example_stateful"),
    env!("CARGO_BIN_EXE_example_streaming"),
];
/// The examples that define their models at run time.
const BOUND: [&str; 3] = [
    env!("CARGO_BIN_EXE_example_runtime_models"),
    env!("CARGO_BIN_EXE_example_multi_instance"),
    env!("CARGO_BIN_EXE_example_online_learning"),
];
const TOKEN: &str = "a-token-of-the-tests";

fn python() -> Result<Python> {
    Python::with_openapi(folder())
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap_or_default()
}

/// Writes the document of a binary to a directory.
fn document(binary: &str, folder: &Path) -> Result<PathBuf> {
    let document = run(binary, &["list", "--format", "openapi"])?.success("list")?;
    keep(&document, binary, folder)
}

/// Writes the document of a running server to a directory.
fn served_document(binary: &str, folder: &Path) -> Result<PathBuf> {
    let server = Server::start(binary, &[])?;
    let url = format!("http://{}/openapi.json", server.banner().http);
    let mut curl = Command::new("curl");
    curl.args(["-sSf", "--noproxy", "*", &url]);
    let document = finish(&mut curl, DEADLINE)?.success("curl")?;
    keep(&document, binary, folder)
}

fn keep(document: &str, binary: &str, folder: &Path) -> Result<PathBuf> {
    let name = Path::new(binary).file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    let name = name.strip_prefix("example_").unwrap_or(&name);
    let path = folder.join(name).with_extension("json");
    fs::write(&path, document)?;
    Ok(path)
}

#[test]
fn every_document_is_valid() -> Result<()> {
    let folder = TempDir::new()?;
    let binaries = EXAMPLES.iter().chain([&MODELS]);
    let paths = binaries.map(|binary| document(binary, folder.path()));
    let bound = BOUND.iter();
    let paths = paths.chain(bound.map(|binary| served_document(binary, folder.path())));
    let paths = paths.collect::<Result<Vec<PathBuf>>>()?;
    let paths = paths.iter().map(|path| text(path));
    python()?.run("openapi_valid.py", paths)
}

#[test]
fn client_is_generated_for_all_test_models() -> Result<()> {
    let folder = TempDir::new()?;
    let path = document(MODELS, folder.path())?;
    python()?.run("openapi_generated.py", [text(&path), text(folder.path())])
}

fn ask_linear(engine: Engine) -> Result<()> {
    let folder = TempDir::new()?;
    let path = document(LINEAR, folder.path())?;
    let mut command = engine.command(LINEAR.as_ref(), crate::folder())?;
    command
        .args(["--http-port=0", "--grpc-port=0", "--metrics-port=0"])
        .env("PYTRITON_TRITON_CONFIG_ACCESS_TOKEN", TOKEN);
    let server = Server::spawn_with(engine, &mut command)?;
    let http = &server.banner().http;
    let arguments = [text(&path), text(folder.path()), http, TOKEN];
    python()?.run("openapi_generated.py", arguments)
}

#[test]
fn generated_client_calls_linear() -> Result<()> {
    ask_linear(Engine::Embedded)
}

#[test]
fn generated_client_calls_linear_in_tritonserver() -> Result<()> {
    ask_linear(Engine::Tritonserver)
}

fn compare(engine: Engine) -> Result<()> {
    let folder = TempDir::new()?;
    let path = document(MODELS, folder.path())?;
    let server = serve(engine, &[])?;
    let arguments = [text(&path), &server.banner().http, engine.name()];
    python()?.run("openapi_schemas.py", arguments)
}

#[test]
fn schemas_match_requests_and_responses() -> Result<()> {
    compare(Engine::Embedded)
}

#[test]
fn schemas_match_requests_and_responses_of_tritonserver() -> Result<()> {
    compare(Engine::Tritonserver)
}
