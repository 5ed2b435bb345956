use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::{Result, finish};

/// A download of 55 MB, where nobody has made it before.
const INSTALL: Duration = Duration::from_secs(300);

/// What answers the clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// The server in the process itself.
    Embedded,
    /// NVIDIA's server as a child.
    Tritonserver,
}

impl Engine {
    /// As `--engine` has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::Tritonserver => "tritonserver",
        }
    }

    /// A command that serves with the engine; what it needs is put into the folder first, once.
    ///
    /// # Errors
    ///
    /// [`HarnessError::Failed`](crate::HarnessError::Failed) with what `install` said.
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

/// The tritonserver in a folder, where a binary's own `install` puts it, once.
///
/// # Errors
///
/// [`HarnessError::Failed`](crate::HarnessError::Failed) with what `install` said.
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

fn cache(folder: &Path) -> PathBuf {
    folder.join("cache")
}
