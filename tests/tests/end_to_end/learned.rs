//! The examples that have learned something, compared with other programs that know the same.

use std::io;
use std::process::Command;
use std::time::Duration;

use pytriton_tests::{Engine, Result, Server, finish};
use weights::Wheel;

use crate::{folder, python};

const DEADLINE: Duration = Duration::from_secs(30);

/// An example, and the Python program that has its addresses, the folder of what it has learned, and its own folder; its client in
/// Rust with what that prints.
struct Learned {
    binary: &'static str,
    folder: &'static str,
    wheel: Wheel,
    other: &'static str,
    client: Option<(&'static str, &'static str)>,
}

impl Learned {
    fn compare(&self, engine: Engine) -> Result<()> {
        let cache = folder().join("cache");
        let learned = self.wheel.folder_in(&cache).map_err(io::Error::other)?;
        let learned = learned.to_string_lossy();
        let mut command = engine.command(self.binary.as_ref(), folder())?;
        command.args(["--http-port=0", "--grpc-port=0", "--metrics-port=0"]);
        let server = Server::spawn(command.env("XDG_CACHE_HOME", &cache))?;
        let banner = server.banner();
        let arguments = [&*banner.http, &banner.grpc, &learned, self.folder];
        python()?.run(self.other, arguments)?;
        if let Some((client, expected)) = self.client {
            for url in [
                format!("http://{}", banner.http),
                format!("grpc://{}", banner.grpc),
            ] {
                let said = finish(Command::new(client).arg(url), DEADLINE)?.success(client)?;
                assert_eq!(said, expected);
            }
        }
        server.signal("TERM")?;
        assert_eq!(server.wait(DEADLINE)?.0.code(), Some(0));
        Ok(())
    }
}

const EMBEDDINGS: Learned = Learned {
    binary: env!("CARGO_BIN_EXE_example_embeddings"),
    folder: concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/embeddings"),
    wheel: weights::MINILM,
    other: "minilm.py",
    client: Some((
        env!("CARGO_BIN_EXE_example_embeddings_client"),
        " 1.000  A cat sleeps.\n 0.705  The kitten is taking a nap.\n 0.279  Dogs bark at night.\n 0.020  Shares fell on Monday.\n",
    )),
};

#[test]
fn embeddings() -> Result<()> {
    EMBEDDINGS.compare(Engine::Embedded)
}

#[test]
fn embeddings_with_tritonserver() -> Result<()> {
    EMBEDDINGS.compare(Engine::Tritonserver)
}

const SPEECH: Learned = Learned {
    binary: env!("CARGO_BIN_EXE_example_speech"),
    folder: concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/speech"),
    wheel: weights::SILERO_VAD,
    other: "silero.py",
    client: None,
};

#[test]
fn speech() -> Result<()> {
    SPEECH.compare(Engine::Embedded)
}

#[test]
fn speech_with_tritonserver() -> Result<()> {
    SPEECH.compare(Engine::Tritonserver)
}
