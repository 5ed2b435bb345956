use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::cargo::apart;
use crate::environment::{self, Environment};
use crate::{Result, Server, finish};

/// How long a wheel may take to build: from nothing, as `released` does.
const WHEEL: Duration = Duration::from_secs(900);

/// How long one file of tests may run.
const TEST: Duration = Duration::from_secs(110);

/// A Python with NVIDIA's client and pytest.
#[derive(Debug)]
pub struct Python {
    interpreter: PathBuf,
    bytecode: PathBuf,
}

impl Python {
    /// Finds the virtual environment in a folder, or makes it there; one process at a time.
    ///
    /// # Errors
    ///
    /// [`HarnessError::Failed`](crate::HarnessError::Failed) with what `python3 -m venv`, pip or uv said.
    pub fn prepare(folder: &Path) -> Result<Self> {
        Self::of(environment::TESTS, folder)
    }

    /// The same with PyTriton in place of NVIDIA's client, and with nothing that only PyTriton's servers and clients need.
    ///
    /// # Errors
    ///
    /// As [`Python::prepare`].
    pub fn with_pytriton(folder: &Path) -> Result<Self> {
        Self::of(environment::PYTRITON, folder)
    }

    /// The same with PyTriton's clients, which want another numpy.
    ///
    /// # Errors
    ///
    /// As [`Python::prepare`].
    pub fn with_pytriton_clients(folder: &Path) -> Result<Self> {
        Self::of(environment::PYTRITON_CLIENTS, folder)
    }

    /// The same with PyTriton's servers, in the Python of the machine.
    ///
    /// # Errors
    ///
    /// As [`Python::prepare`].
    pub fn with_pytriton_servers(folder: &Path) -> Result<Self> {
        Self::of(environment::PYTRITON_SERVERS, folder)
    }

    /// The same with what drives a browser.
    ///
    /// # Errors
    ///
    /// As [`Python::prepare`].
    pub fn with_browser(folder: &Path) -> Result<Self> {
        Self::of(environment::BROWSER, folder)
    }

    /// The same with KServe's client alone.
    ///
    /// # Errors
    ///
    /// As [`Python::prepare`].
    pub fn with_kserve(folder: &Path) -> Result<Self> {
        Self::of(environment::KSERVE, folder)
    }

    /// The same with MLServer alone.
    ///
    /// # Errors
    ///
    /// As [`Python::prepare`].
    pub fn with_mlserver(folder: &Path) -> Result<Self> {
        Self::of(environment::MLSERVER, folder)
    }

    /// The program of a Python with Envoy alone.
    ///
    /// # Errors
    ///
    /// As [`Python::prepare`].
    pub fn envoy(folder: &Path) -> Result<PathBuf> {
        Ok(Self::of(environment::ENVOY, folder)?.program("envoy"))
    }

    /// The same with programs that read OpenAPI alone.
    ///
    /// # Errors
    ///
    /// As [`Python::prepare`].
    pub fn with_openapi(folder: &Path) -> Result<Self> {
        Self::of(environment::OPENAPI, folder)
    }

    /// The same with what builds and uses wheels of crates.
    ///
    /// # Errors
    ///
    /// As [`Python::prepare`].
    pub fn with_maturin(folder: &Path) -> Result<Self> {
        Self::of(environment::MODULE, folder)
    }

    /// The same with nothing but `perf_analyzer`.
    ///
    /// # Errors
    ///
    /// As [`Python::prepare`].
    pub(crate) fn with_perf_analyzer(folder: &Path) -> Result<Self> {
        Self::of(environment::PERF_ANALYZER, folder)
    }

    fn of(environment: Environment, folder: &Path) -> Result<Self> {
        Ok(Self {
            interpreter: environment.made_in(folder)?,
            bytecode: folder.join("bytecode"),
        })
    }

    /// Builds a wheel of a crate, below the folder that cargo has for tests, and installs it. What cargo has built otherwise is not
    /// made again for it, nor the other way round.
    ///
    /// # Errors
    ///
    /// [`HarnessError::Failed`](crate::HarnessError::Failed) with what maturin or uv said.
    pub fn install(&self, package: &Path, folder: &Path) -> Result<()> {
        self.install_with(package, folder, &[], &[])
    }

    /// The same with more arguments for maturin, and for `uv pip install`.
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
        let mut maturin = apart(self.command());
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

    /// Where a program is that a package has brought.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.interpreter.with_file_name(name)
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
        self.set(Command::new(&self.interpreter))
    }

    /// The same, started by another program with these arguments.
    pub fn command_by(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).arg(&self.interpreter);
        self.set(command)
    }

    fn set(&self, mut command: Command) -> Command {
        command
            // What other packages bring for pytest is loaded for nobody.
            .env("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
            // What it compiles is kept, whatever the user has said, but not beside the sources.
            .env_remove("PYTHONDONTWRITEBYTECODE")
            .env("PYTHONPYCACHEPREFIX", &self.bytecode)
            // A proxy of the machine must not come between a client and a server on the same machine.
            .env("NO_PROXY", "127.0.0.1,localhost")
            .env("no_proxy", "127.0.0.1,localhost");
        command
    }
}
