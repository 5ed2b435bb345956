//! The examples with neural networks, compared with other implementations of the networks.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use pytriton_tests::{Engine, Result, Server, finish};
use weights::WeightsError;

use crate::{folder, python};

const DEADLINE: Duration = Duration::from_secs(30);

/// The root of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// An example, its Python program (whose arguments are addresses, the directory of the weights, its
/// own directory and the engine), and its Rust client. With tritonserver, the program compares fewer
/// inputs, because the same code computes them.
struct Learned {
    binary: &'static str,
    folder: &'static str,
    weights: fn(&Path) -> std::result::Result<PathBuf, WeightsError>,
    other: &'static str,
    client: Option<Client>,
}

/// A client, its arguments after the address, and its output in the root of the repository.
struct Client {
    binary: &'static str,
    arguments: &'static [&'static str],
    prints: &'static str,
}

impl Learned {
    fn compare(&self, engine: Engine) -> Result<()> {
        let cache = folder().join("cache");
        let learned = (self.weights)(&cache).map_err(io::Error::other)?;
        let learned = learned.to_string_lossy();
        let mut command = engine.command(self.binary.as_ref(), folder())?;
        command.args(["--http-port=0", "--grpc-port=0", "--metrics-port=0"]);
        let server = Server::spawn(command.env("XDG_CACHE_HOME", &cache))?;
        let banner = server.banner();
        let (http, grpc, name) = (&*banner.http, &*banner.grpc, engine.name());
        python()?.run(self.other, [http, grpc, &learned, self.folder, name])?;
        if let Some(client) = &self.client {
            for url in [
                format!("http://{}", banner.http),
                format!("grpc://{}", banner.grpc),
            ] {
                let mut command = Command::new(client.binary);
                command.arg(url).args(client.arguments).current_dir(ROOT);
                let output = finish(&mut command, DEADLINE)?.success(client.binary)?;
                assert_eq!(output, client.prints);
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
    weights: |cache| weights::MINILM.folder_in(cache),
    other: "minilm.py",
    client: Some(Client {
        binary: env!("CARGO_BIN_EXE_example_embeddings_client"),
        arguments: &[],
        prints: " 1.000  A cat sleeps.\n 0.705  The kitten is taking a nap.\n 0.279  Dogs bark at night.\n 0.020  Shares fell on Monday.\n",
    }),
};

#[test]
fn embeddings() -> Result<()> {
    EMBEDDINGS.compare(Engine::Embedded)
}

#[test]
fn embeddings_with_tritonserver() -> Result<()> {
    EMBEDDINGS.compare(Engine::Tritonserver)
}

const MAGIKA: Learned = Learned {
    binary: env!("CARGO_BIN_EXE_example_magika"),
    folder: concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/magika"),
    weights: |cache| weights::MAGIKA.folder_in(cache),
    other: "filetypes.py",
    client: Some(Client {
        binary: env!("CARGO_BIN_EXE_example_magika_client"),
        arguments: &["LICENSE", "proto/grpc_service.proto", "rust-toolchain.toml"],
        prints: " 1.00  txt          text/plain               LICENSE\n 1.00  proto        text/x-proto             proto/grpc_service.proto\n 0.97  toml         application/toml         rust-toolchain.toml\n",
    }),
};

#[test]
fn magika() -> Result<()> {
    MAGIKA.compare(Engine::Embedded)
}

#[test]
fn magika_with_tritonserver() -> Result<()> {
    MAGIKA.compare(Engine::Tritonserver)
}

const OCR: Learned = Learned {
    binary: env!("CARGO_BIN_EXE_example_ocr"),
    folder: concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/ocr"),
    weights: |cache| weights::PP_OCR.folder_in(cache),
    other: "paddle.py",
    client: Some(Client {
        binary: env!("CARGO_BIN_EXE_example_ocr_client"),
        arguments: &["examples/ocr/page.png"],
        prints: " 1.00  20,25 144,27 143,55 19,54                 Fine print\n 1.00  19,81 196,81 196,107 19,107               is printed, too.\n",
    }),
};

#[test]
fn ocr() -> Result<()> {
    OCR.compare(Engine::Embedded)
}

#[test]
fn ocr_with_tritonserver() -> Result<()> {
    OCR.compare(Engine::Tritonserver)
}

const SPEECH: Learned = Learned {
    binary: env!("CARGO_BIN_EXE_example_speech"),
    folder: concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/speech"),
    weights: |cache| weights::SILERO_VAD.folder_in(cache),
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
