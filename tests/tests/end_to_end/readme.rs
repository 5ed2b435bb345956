//! The README and the command-line reference describe the actual behaviour.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use pytriton_tests::{Result, Server, finish};

use crate::python;

const DEADLINE: Duration = Duration::from_secs(30);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A fenced block of the README.
struct Block {
    language: String,
    text: String,
}

fn blocks(readme: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut fences = readme.split("\n```");
    fences.next();
    // Every second fence closes a block.
    while let (Some(opened), Some(_)) = (fences.next(), fences.next()) {
        if let Some((language, text)) = opened.split_once('\n') {
            blocks.push(Block {
                language: language.to_owned(),
                text: format!("{text}\n"),
            });
        }
    }
    blocks
}

/// Returns the first block in a language that contains a text, and the block after it.
fn find<'a>(blocks: &'a [Block], language: &str, part: &str) -> (&'a str, &'a str) {
    let at = blocks
        .iter()
        .position(|block| block.language == language && block.text.contains(part))
        .unwrap_or_else(|| panic!("the README has no {language} block with {part}"));
    let next = blocks.get(at + 1).map_or("", |block| block.text.as_str());
    (&blocks[at].text, next)
}

/// Replaces the default ports in a block with those of the server.
fn on_free_ports(text: &str, server: &Server) -> String {
    text.replace("localhost:8000", &server.banner().http)
        .replace("localhost:8001", &server.banner().grpc)
}

#[test]
fn readme_contains_the_whole_linear_example() -> Result<()> {
    let readme = fs::read_to_string(root().join("README.md"))?;
    let source = fs::read_to_string(root().join("examples/linear/src/main.rs"))?;
    assert!(source.lines().count() <= 15);
    assert_eq!(find(&blocks(&readme), "rust", "pytriton::main!").0, source);
    let chapter = fs::read_to_string(root().join("pytriton/src/guide/first_model.md"))?;
    let chapter = blocks(&chapter);
    assert_eq!(find(&chapter, "rust,ignore", "pytriton::main!").0, source);
    Ok(())
}

#[test]
fn readme_calls_have_the_documented_output() -> Result<()> {
    let readme = fs::read_to_string(root().join("README.md"))?;
    let blocks = blocks(&readme);
    let server = Server::start(env!("CARGO_BIN_EXE_example_linear"), &[])?;

    let (call, output) = find(&blocks, "sh", "curl");
    let mut curl = Command::new("sh");
    curl.args(["-c", &on_free_ports(call, &server)]);
    let printed = finish(&mut curl, DEADLINE)?.success("curl")?;
    assert_eq!(printed.trim_end(), output.trim_end());

    let (call, output) = find(&blocks, "python", "tritonclient");
    let mut script = python()?.command();
    script.args(["-c", &on_free_ports(call, &server)]);
    let printed = finish(&mut script, DEADLINE)?.success("python")?;
    assert_eq!(printed.trim_end(), output.trim_end());
    Ok(())
}

#[test]
fn cli_reference_lists_every_option() -> Result<()> {
    let reference = fs::read_to_string(root().join("docs/cli.md"))?;
    let mut help = Command::new(crate::MODELS);
    let help = finish(help.arg("--help"), DEADLINE)?.success("--help")?;
    let words = help.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    let options: Vec<&str> = words
        .filter(|word| word.len() > 2 && word.starts_with("--"))
        .collect();
    assert!(options.contains(&"--http-port"));
    for option in options {
        assert!(
            reference.contains(&format!("`{option}")),
            "docs/cli.md does not name {option}"
        );
    }
    Ok(())
}
