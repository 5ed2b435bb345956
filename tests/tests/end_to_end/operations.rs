//! Runs every command of `docs/operations.md` and of the guide, and compares the output.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use pytriton_tests::{Engine, Finished, Result, Server, finish};

use crate::command_line::FREE_PORTS;
use crate::tls::certificates;
use crate::{MODELS, folder};

const DEADLINE: Duration = Duration::from_secs(20);

/// The first model of the guide.
const LINEAR: &str = env!("CARGO_BIN_EXE_example_linear");

/// A block of commands: the options of its server, and the output of each command.
#[derive(Debug)]
struct Block {
    options: Vec<String>,
    commands: Vec<(String, String)>,
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<(bool, Block)> = None;
    for line in text.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(kind)) => {
                let mut words = kind.split_whitespace().map(str::to_owned);
                let kind = words.next().unwrap_or_default();
                // Every command block must be of the kind that is tested; Rust snippets are tested
                // elsewhere.
                assert!(kind != "bash" && kind != "shell", "{kind}");
                let is_console = kind == "console";
                let (options, commands) = (words.collect(), Vec::new());
                open = Some((is_console, Block { options, commands }));
            }
            (Some(_), Some("")) => blocks.extend(open.take()),
            (Some((_, block)), _) => block.read(line),
            (None, None) => {}
        }
    }
    let blocks = blocks.into_iter();
    let blocks = blocks.filter(|(is_console, _)| *is_console);
    blocks.map(|(_, block)| block).collect()
}

impl Block {
    fn read(&mut self, line: &str) {
        match (line.strip_prefix("$ "), self.commands.last_mut()) {
            (Some(command), _) => self.commands.push((command.to_owned(), String::new())),
            (None, Some((command, _))) if command.ends_with('\\') => {
                *command = format!("{command}\n{line}");
            }
            (None, Some((_, printed))) => *printed += &format!("{line}\n"),
            (None, None) => {}
        }
    }
}

/// Returns whether a text matches a pattern in which `…` matches any text.
fn is_like(text: &str, pattern: &str) -> bool {
    let (text, pattern) = (text.trim_end(), pattern.trim_end());
    let Some((first, others)) = pattern.split_once('…') else {
        return text == pattern;
    };
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let parts: Vec<&str> = others.split('…').collect();
    let Some((last, middle)) = parts.split_last() else {
        return true;
    };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

fn run(command: &str, server: &Server, folder: &Path) -> Result<Finished> {
    let banner = server.banner();
    let command = command
        .replace("localhost:8000", &banner.http)
        .replace("localhost:8001", &banner.grpc)
        .replace("localhost:8002", &banner.metrics);
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &command])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", folder.display()))
        .env("PID", server.pid().to_string());
    finish(&mut shell, DEADLINE)
}

#[test]
fn documented_commands_print_the_documented_output() -> Result<()> {
    let operations = fs::read_to_string(root().join("docs/operations.md"))?;
    assert!(!operations.contains("\n```sh"));
    try_commands(&operations)
}

#[test]
fn guide_commands_print_the_documented_output() -> Result<()> {
    for chapter in ["first_model", "batching", "engines", "production"] {
        let chapter = root().join(format!("pytriton/src/guide/{chapter}.md"));
        try_commands(&fs::read_to_string(chapter)?)?;
    }
    Ok(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn try_commands(text: &str) -> Result<()> {
    let blocks = blocks(text);
    assert!(!blocks.is_empty());
    let files = certificates()?;
    for (name, of) in [("tls.crt", "server.pem"), ("tls.key", "server.key")] {
        symlink(of, files.path().join(name))?;
    }
    fs::write(files.path().join("token"), "aToken-of-24-characters.")?;
    symlink(MODELS, files.path().join("models"))?;
    symlink(LINEAR, files.path().join("linear"))?;
    for Block { options, commands } in blocks {
        let (binary, options) = match options.split_first() {
            Some((example, options)) if example == "linear" => (LINEAR, options),
            _ => (MODELS, &options[..]),
        };
        let mut command = Engine::Embedded.command(binary.as_ref(), folder())?;
        command.args(FREE_PORTS).arg("--openai-port=0");
        command.args(options).current_dir(files.path());
        // The defaults of restricted groups apply here.
        command.env_remove("PYTRITON_TRITON_CONFIG_RESTRICTED_ENDPOINTS");
        let server = Server::spawn_with(Engine::Embedded, &mut command)?;
        for (command, expected) in commands {
            let finished = run(&command, &server, files.path())?;
            let Finished {
                status,
                stdout,
                stderr,
            } = &finished;
            let fine = match expected.is_empty() {
                true => status.success() && stdout.is_empty(),
                false => is_like(stdout, &expected),
            };
            assert!(
                fine,
                "{command}\n{status}\n{stdout}\nbut expected\n{expected}\n{stderr}"
            );
        }
    }
    Ok(())
}

#[test]
fn dots_match_any_text() {
    for (text, pattern, expected) in [
        ("a\n", "a", true),
        ("ab", "a", false),
        ("a b c", "a … c", true),
        ("a b c d", "a … c", false),
        ("a\nb\nc", "a\n…", true),
        ("x a", "a…", false),
        ("{\"a\":1,\"b\":2}", "{…\"b\":…}", true),
    ] {
        assert_eq!(is_like(text, pattern), expected, "{text} {pattern}");
    }
}
