//! Fills in the form of each example, and runs the programs that the page shows for it.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use pytriton_tests::{Engine, Result, Server};
use weights::WeightsError;

use crate::snippets::Snippets;
use crate::{FOLDER, HISTOGRAMS, MODELS, look_with};

/// The test file that fills in the forms.
const FORMS: &str = "test_page_examples.py";

/// Installs the weights of an example in a directory.
type Learned = fn(&Path) -> std::result::Result<PathBuf, WeightsError>;

/// An example with its own server, and its weights.
struct Example {
    binary: &'static str,
    learned: Option<Learned>,
}

const ALONE: [Example; 8] = [
    Example {
        binary: env!("CARGO_BIN_EXE_example_runtime_models"),
        learned: None,
    },
    Example {
        binary: env!("CARGO_BIN_EXE_example_embeddings"),
        learned: Some(|cache| weights::MINILM.folder_in(cache)),
    },
    Example {
        binary: env!("CARGO_BIN_EXE_example_magika"),
        learned: Some(|cache| weights::MAGIKA.folder_in(cache)),
    },
    Example {
        binary: env!("CARGO_BIN_EXE_example_multi_instance"),
        learned: None,
    },
    Example {
        binary: env!("CARGO_BIN_EXE_example_native_backend"),
        learned: None,
    },
    Example {
        binary: env!("CARGO_BIN_EXE_example_ocr"),
        learned: Some(|cache| weights::PP_OCR.folder_in(cache)),
    },
    Example {
        binary: env!("CARGO_BIN_EXE_example_online_learning"),
        learned: None,
    },
    Example {
        binary: env!("CARGO_BIN_EXE_example_speech"),
        learned: Some(|cache| weights::SILERO_VAD.folder_in(cache)),
    },
];

impl Example {
    fn start(&self) -> Result<Server> {
        let cache = Path::new(FOLDER).join("cache");
        if let Some(learned) = self.learned {
            // Downloads before the start, because a download may exceed the start timeout.
            learned(&cache).map_err(io::Error::other)?;
        }
        let mut command = Command::new(self.binary);
        command
            .args(["--http-port=0", "--grpc-port=0", "--metrics-port=0"])
            .args(["--engine=embedded"])
            .args(HISTOGRAMS)
            .env("XDG_CACHE_HOME", cache);
        Server::spawn(&mut command)
    }
}

/// One model of each kind: their forms behave alike, and the page is the same on both engines.
const KINDS: &str = "Counter Countdown File Linear Refusal Softmax Transform";

fn fill_in(server: &Server, snippets: &Snippets) -> Result<()> {
    let home = snippets.home().to_string_lossy();
    look_with(FORMS, server, &[("PYTRITON_TEST_SNIPPETS", &home)])
}

#[test]
fn forms_of_all_examples_return_a_response() -> Result<()> {
    let snippets = Snippets::new("models")?;
    let server = Server::start(MODELS, &HISTOGRAMS)?;
    fill_in(&server, &snippets)?;
    snippets.run()
}

#[test]
fn forms_work_with_the_tritonserver_engine() -> Result<()> {
    let (engine, folder) = (Engine::Tritonserver, Path::new(FOLDER));
    let server = Server::start_with(engine, folder, MODELS, &[])?;
    look_with(FORMS, &server, &[("PYTRITON_TEST_MODELS", KINDS)])
}

#[test]
fn forms_of_examples_with_their_own_server_return_a_response() -> Result<()> {
    // One crate for all, so that their programs are built once.
    let snippets = Snippets::new("alone")?;
    let servers = ALONE.iter().map(Example::start);
    let servers = servers.collect::<Result<Vec<_>>>()?;
    for server in &servers {
        fill_in(server, &snippets)?;
    }
    snippets.run()
}
