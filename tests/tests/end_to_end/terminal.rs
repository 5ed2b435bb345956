//! The output of a server that is only for terminals.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use pytriton_tests::{Banner, Result, finish};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::MODELS;

const DEADLINE: Duration = Duration::from_secs(30);

/// A terminal, and a server that prints to it.
struct OnTerminal {
    child: Child,
    banner: Banner,
}

/// Opens a terminal. Returns the end that reads what is printed, and the path of the other end.
fn open_terminal() -> io::Result<(OwnedFd, String)> {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&terminal)?;
    unlockpt(&terminal)?;
    let name = ptsname(&terminal, Vec::new())?;
    Ok((terminal, name.to_string_lossy().into_owned()))
}

impl OnTerminal {
    fn start(log: File, arguments: &[&str]) -> Result<Self> {
        let (terminal, name) = open_terminal()?;
        let output = File::options().read(true).write(true).open(name)?;
        let child = Command::new(MODELS)
            .args(["--engine=embedded", "--http-port=0", "--grpc-port=0"])
            .arg("--metrics-port=0")
            .args(arguments)
            .env_remove("PYTRITON_TRITON_CONFIG_RESTRICTED_ENDPOINTS")
            .env_remove("PYTRITON_TRITON_CONFIG_ACCESS_TOKEN")
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(log)
            .spawn()?;
        let (lines, read) = mpsc::channel();
        thread::spawn(move || {
            let printed = BufReader::new(File::from(terminal)).lines();
            for line in printed.map_while(io::Result::ok) {
                if lines.send(line).is_err() {
                    break;
                }
            }
        });
        let mut text = String::new();
        let mut server = Self {
            child,
            banner: Banner::default(),
        };
        loop {
            // The terminal ends each line with `\r\n`.
            let line = read.recv_timeout(DEADLINE);
            text += line
                .unwrap_or_else(|_| panic!("no banner: {text}"))
                .trim_end();
            text.push('\n');
            if let Some(banner) = Banner::parse(&text)? {
                server.banner = banner;
                return Ok(server);
            }
        }
    }

    /// Returns the token of the link to the docs page.
    fn token(&self) -> Option<&str> {
        let mut lines = self.banner.text.lines();
        let docs = lines.find(|line| line.trim_start().starts_with("docs "));
        docs?.split_once("#token=").map(|(_, token)| token)
    }
}

impl Drop for OnTerminal {
    fn drop(&mut self) {
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
        let _ = self.child.wait();
    }
}

#[test]
fn docs_link_contains_a_generated_token() -> Result<()> {
    let log = tempfile::NamedTempFile::new()?;
    let server = OnTerminal::start(log.reopen()?, &[])?;
    let token = server
        .token()
        .unwrap_or_else(|| panic!("{:?}", server.banner));
    let header = format!("triton-access-token: {token}");
    let url = format!("http://{}/v2/models/stats", server.banner.http);
    let mut curl = Command::new("curl");
    let arguments = ["-sSf", "--noproxy", "*", "-H", &header, &url];
    finish(curl.args(arguments), DEADLINE)?.success("curl")?;
    assert!(!fs::read_to_string(log.path())?.contains(token));
    Ok(())
}

#[test]
fn docs_link_of_other_tokens_and_addresses_contains_none() -> Result<()> {
    let token = tempfile::NamedTempFile::new()?;
    fs::write(&token, "sixteen-visible-signs")?;
    let given = format!("--access-token-file={}", token.path().display());
    for argument in [
        given.as_str(),
        "--http-address=0.0.0.0",
        "--restricted-endpoints=",
    ] {
        let log = tempfile::NamedTempFile::new()?;
        let server = OnTerminal::start(log.reopen()?, &[argument])?;
        assert_eq!(server.token(), None, "{argument}: {:?}", server.banner);
    }
    Ok(())
}
