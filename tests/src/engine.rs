use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use pytriton::Triton;
use pytriton::options::EngineChoice;
use pytriton::server::Builder;

use crate::{Result, finish};

/// The time limit for the first download of 55 MB.
const INSTALL: Duration = Duration::from_secs(300);

/// The engine that serves the models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// The server in this process.
    Embedded,
    /// NVIDIA's server as a child process.
    Tritonserver,
}

impl Engine {
    /// Returns the value of `--engine`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::Tritonserver => "tritonserver",
        }
    }

    /// Returns a command that serves with the engine, and installs the requirements of the engine
    /// in the directory once.
    ///
    /// # Errors
    ///
    /// Returns [`HarnessError::Failed`](crate::HarnessError::Failed) with the output of `install`.
    pub fn command(self, binary: &Path, folder: &Path) -> Result<Command> {
        let mut command = Command::new(binary);
        command.env("PYTRITON_ENGINE", self.name());
        if self == Self::Tritonserver {
            tritonserver(binary, folder)?;
            command.env("XDG_CACHE_HOME", cache(folder));
        }
        Ok(command)
    }
}

/// Returns the tritonserver in a directory, and installs it with the binary's `install` once.
///
/// # Errors
///
/// Returns [`HarnessError::Failed`](crate::HarnessError::Failed) with the output of `install`.
pub fn tritonserver(binary: &Path, folder: &Path) -> Result<PathBuf> {
    let cache = cache(folder);
    fs::create_dir_all(&cache)?;
    let lock = File::create(folder.join("tritonserver.lock"))?;
    lock.lock()?;
    let mut install = Command::new(binary);
    install.arg("install").env("XDG_CACHE_HOME", &cache);
    finish(&mut install, INSTALL)?.success("install")?;
    Ok(cache.join("pytriton/tritonserver/2.51.0/bin/tritonserver"))
}

/// Returns the builder of a server of this process on free ports. The tritonserver engine is
/// installed as by [`tritonserver`].
///
/// # Errors
///
/// As [`tritonserver`].
pub fn triton_builder(engine: Engine, binary: &Path, folder: &Path) -> Result<Builder> {
    let builder = Triton::builder().free_ports();
    Ok(match engine {
        Engine::Embedded => builder.engine(EngineChoice::Embedded),
        Engine::Tritonserver => {
            let path = tritonserver(binary, folder)?;
            let builder = builder.engine(EngineChoice::Tritonserver);
            builder.options(|options| options.triton.tritonserver = Some(path))
        }
    })
}

fn cache(folder: &Path) -> PathBuf {
    folder.join("cache")
}
