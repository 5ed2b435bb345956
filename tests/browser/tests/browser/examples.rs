//! Fills in the form of each example, and runs the programs that the page shows for it.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use pytriton_tests::{Engine, Result, Server};
use weights::WeightsError;

use crate::snippets::Snippets;
use crate::{FOLDER, HISTOGRAMS, MODELS, look, look_with};

/// Installs the weights of an example in a directory.
type Learned = fn(&Path) -> std::result::Result<PathBuf, WeightsError>;

/// An example with its own server, and its weights.
struct Example {
    binary: &'static str,
    learned: Option<Learned>,
}

const ALONE: [Example; 8] = [
    Example {
        binary: env!("CARGO_BIN_EXE_page_bound"),
        learned: None,
    },
    Example {
        binary: env!("CARGO_BIN_EXE_page_embeddings"),
        learned: Some(|cache| weights::MINILM.folder_in(cache)),
    },
    Example {
        binary: env!("CARGO_BIN_EXE_page_magika"),
        learned: Some(|cache| weights::MAGIKA.folder_in(cache)),
    },
    Example {
        binary: env!("CARGO_BIN_EXE_page_multi_instance"),
        learned: None,
    },
    Example {
        binary: env!("CARGO_BIN_EXE_page_native_backend"),
        learned: None,
    },
    Example {
        binary: env!("CARGO_BIN_EXE_page_ocr"),
        learned: Some(|cache| weights::PP_OCR.folder_in(cache)),
    },
    Example {
        binary: env!("CARGO_BIN_EXE_page_online_learning"),
        learned: None,
    },
    Example {
        binary: env!("CARGO_BIN_EXE_page_speech"),
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

fn fill_in(name: &str, server: &Server) -> Result<()> {
    let snippets = Snippets::new(name)?;
    let file = "test_page_examples.py";
    let home = snippets.home().to_string_lossy();
    look_with(file, server, &[("PYTRITON_TEST_SNIPPETS", &home)])?;
    snippets.run()
}

#[test]
fn every_form_of_the_examples_answers() -> Result<()> {
    fill_in("models", &Server::start(MODELS, &HISTOGRAMS)?)
}

#[test]
fn every_form_answers_beside_tritonserver() -> Result<()> {
    let (engine, folder) = (Engine::Tritonserver, Path::new(FOLDER));
    let server = Server::start_with(engine, folder, MODELS, &[])?;
    look("test_page_examples.py", &server)
}

#[test]
fn every_form_of_examples_with_a_server_of_their_own_answers() -> Result<()> {
    for (number, example) in ALONE.iter().enumerate() {
        fill_in(&format!("alone_{number}"), &example.start()?)?;
    }
    Ok(())
}
