use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::cargo::without_cargo_variables;
use crate::environment::{self, Environment};
use crate::{Result, Server, finish};

/// The time limit for building a wheel from a clean state, as `released` does.
const WHEEL: Duration = Duration::from_secs(900);

/// The time limit for one file of tests.
const TEST: Duration = Duration::from_secs(110);

/// A Python with NVIDIA's client and pytest.
#[derive(Debug)]
pub struct Python {
    interpreter: PathBuf,
    bytecode: PathBuf,
}

impl Python {
    /// Finds the virtual environment in a directory, or creates it. A lock serialises processes.
    ///
    /// # Errors
    ///
    /// Returns [`HarnessError::Failed`](crate::HarnessError::Failed) with the output of
    /// `python3 -m venv`, pip or uv.
    pub fn prepare(folder: &Path) -> Result<Self> {
        Self::of(environment::TESTS, folder)
    }

    /// Prepares an environment with PyTriton's decorators instead of NVIDIA's client.
    ///
    /// # Errors
    ///
    /// See [`Python::prepare`].
    pub fn with_pytriton(folder: &Path) -> Result<Self> {
        Self::of(environment::PYTRITON, folder)
    }

    /// Prepares an environment with PyTriton's clients, which need another numpy.
    ///
    /// # Errors
    ///
    /// See [`Python::prepare`].
    pub fn with_pytriton_clients(folder: &Path) -> Result<Self> {
        Self::of(environment::PYTRITON_CLIENTS, folder)
    }

    /// Prepares an environment with PyTriton's servers, in the system's Python.
    ///
    /// # Errors
    ///
    /// See [`Python::prepare`].
    pub fn with_pytriton_servers(folder: &Path) -> Result<Self> {
        Self::of(environment::PYTRITON_SERVERS, folder)
    }

    /// Prepares an environment with the browser driver.
    ///
    /// # Errors
    ///
    /// See [`Python::prepare`].
    pub fn with_browser(folder: &Path) -> Result<Self> {
        Self::of(environment::BROWSER, folder)
    }

    /// Prepares an environment with only KServe's client.
    ///
    /// # Errors
    ///
    /// See [`Python::prepare`].
    pub fn with_kserve(folder: &Path) -> Result<Self> {
        Self::of(environment::KSERVE, folder)
    }

    /// Prepares an environment with only MLServer.
    ///
    /// # Errors
    ///
    /// See [`Python::prepare`].
    pub fn with_mlserver(folder: &Path) -> Result<Self> {
        Self::of(environment::MLSERVER, folder)
    }

    /// Returns the program of an environment with only Envoy.
    ///
    /// # Errors
    ///
    /// See [`Python::prepare`].
    pub fn envoy(folder: &Path) -> Result<PathBuf> {
        Ok(Self::of(environment::ENVOY, folder)?.program("envoy"))
    }

    /// Prepares an environment with only programs that read OpenAPI documents.
    ///
    /// # Errors
    ///
    /// See [`Python::prepare`].
    pub fn with_openapi(folder: &Path) -> Result<Self> {
        Self::of(environment::OPENAPI, folder)
    }

    /// Prepares an environment that builds and installs wheels of crates.
    ///
    /// # Errors
    ///
    /// See [`Python::prepare`].
    pub fn with_maturin(folder: &Path) -> Result<Self> {
        Self::of(environment::MODULE, folder)
    }

    /// Prepares an environment with only `perf_analyzer`.
    ///
    /// # Errors
    ///
    /// See [`Python::prepare`].
    pub(crate) fn with_perf_analyzer(folder: &Path) -> Result<Self> {
        Self::of(environment::PERF_ANALYZER, folder)
    }

    fn of(environment: Environment, folder: &Path) -> Result<Self> {
        Ok(Self {
            interpreter: environment.made_in(folder)?,
            bytecode: folder.join("bytecode"),
        })
    }

    /// Builds a wheel of a crate in cargo's directory for tests, and installs it. This build and
    /// other builds of cargo do not invalidate each other.
    ///
    /// # Errors
    ///
    /// Returns [`HarnessError::Failed`](crate::HarnessError::Failed) with the output of maturin or
    /// uv.
    pub fn install(&self, package: &Path, folder: &Path) -> Result<()> {
        self.install_with(package, folder, &[], &[])
    }

    /// Builds and installs a wheel with additional arguments for maturin and for `uv pip install`.
    ///
    /// # Errors
    ///
    /// See [`install`](Self::install).
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
        // Builds of one package with different features share a directory.
        let lock = File::create(target.join("lock"))?;
        lock.lock()?;
        let mut maturin = without_cargo_variables(self.command());
        maturin
            .args(["-m", "maturin", "build", "--quiet", "--target-dir"])
            .arg(&target)
            .arg("--out")
            .arg(wheels.path())
            .arg("--manifest-path")
            .arg(package.join("Cargo.toml"))
            .arg("--interpreter")
            .arg(&self.interpreter)
            .args(built);
        finish(&mut maturin, WHEEL)?.success("maturin build")?;
        drop(lock);
        for wheel in fs::read_dir(wheels.path())? {
            environment::install(folder, &self.interpreter, &wheel?.path(), installed)?;
        }
        Ok(())
    }

    /// Returns the path of a program that a package has installed.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.interpreter.with_file_name(name)
    }

    /// Runs one file of Python tests against a server.
    ///
    /// # Errors
    ///
    /// Returns [`HarnessError::Failed`](crate::HarnessError::Failed) with pytest's report.
    pub fn test(&self, file: &str, server: &Server) -> Result<()> {
        self.test_with(file, server, &[])
    }

    /// Runs one file of Python tests with additional environment variables.
    ///
    /// # Errors
    ///
    /// See [`test`](Self::test).
    pub fn test_with(&self, file: &str, server: &Server, variables: &[(&str, &str)]) -> Result<()> {
        self.test_within(TEST, file, server, variables)
    }

    /// Runs one file of Python tests with a time limit.
    ///
    /// # Errors
    ///
    /// See [`test`](Self::test).
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
    /// See [`test`](Self::test).
    pub fn test_alone(&self, file: &str) -> Result<()> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
        let mut pytest = self.command();
        // Skips `conftest.py`, which contains the fixtures for servers.
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

    /// Runs a Python program that is not a pytest file.
    ///
    /// # Errors
    ///
    /// Returns [`HarnessError::Failed`](crate::HarnessError::Failed) with its output.
    pub fn run<'a>(&self, file: &str, arguments: impl IntoIterator<Item = &'a str>) -> Result<()> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
        let mut program = self.command();
        program.arg(file).args(arguments).current_dir(folder);
        finish(&mut program, TEST)?.success(file)?;
        Ok(())
    }

    /// Returns a command of the interpreter without arguments.
    pub fn command(&self) -> Command {
        self.set(Command::new(&self.interpreter))
    }

    /// Returns a command of the interpreter that another program starts with these arguments.
    pub fn command_by(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).arg(&self.interpreter);
        self.set(command)
    }

    fn set(&self, mut command: Command) -> Command {
        command
            // Disables pytest plugins of other packages.
            .env("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
            // Keeps compiled files, independent of the user's settings, but not next to the
            // sources.
            .env_remove("PYTHONDONTWRITEBYTECODE")
            .env("PYTHONPYCACHEPREFIX", &self.bytecode)
            // numpy's threads compute while they wait, on processors that the servers need.
            .env("OPENBLAS_NUM_THREADS", "1")
            // A proxy of the system must not be used for local servers.
            .env("NO_PROXY", "127.0.0.1,localhost")
            .env("no_proxy", "127.0.0.1,localhost");
        command
    }
}
