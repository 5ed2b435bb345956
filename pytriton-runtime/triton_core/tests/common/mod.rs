//! Models of a backend in C, and a server with them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use bytes::Bytes;
use pytriton_core::memory_budget::MemoryBudget;
use pytriton_core::request::{InferInput, InferRequest};
use pytriton_core::tensor::DataType;
use pytriton_triton_core::{Core, CoreOptions, Library, ModelControl};
use pytriton_tritonserver::triton::install;
use tempfile::TempDir;

/// The tritonserver installation shared by the tests of all crates.
const INSTALLED: &str = concat!(
    env!("CARGO_TARGET_TMPDIR"),
    "/cache/pytriton/tritonserver/2.51.0"
);

/// The models: their data type, and other fields of their configuration.
const MODELS: [(&str, &str, &str); 6] = [
    ("Echo", "FP32", ""),
    ("Text", "STRING", ""),
    ("Short", "FP32", ""),
    ("Slow", "FP32", ""),
    ("Fail", "FP32", ""),
    (
        "Stream",
        "FP32",
        "model_transaction_policy { decoupled: true }",
    ),
];

/// A server and the folder with its models.
pub(crate) struct TestCore {
    pub(crate) core: Core,
    pub(crate) budget: Arc<MemoryBudget>,
    _folder: TempDir,
    /// Dropped after the server.
    _only: MutexGuard<'static, ()>,
}

/// Held by a test with a server. A process can have only one.
static ONLY: Mutex<()> = Mutex::new(());

/// Waits until no other test has a server.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    ONLY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens the library, which is installed once.
pub(crate) fn library() -> Library {
    let installed = install::install_to(Path::new(INSTALLED)).unwrap();
    Library::of_installation(&installed.folder).unwrap()
}

/// Writes a model.
fn write_model(models: &Path, name: &str, datatype: &str, fields: &str) {
    let model = models.join(name);
    fs::create_dir_all(model.join("1")).unwrap();
    let text = format!(
        "backend: \"test\"\nmax_batch_size: 8\n\
         input [ {{ name: \"x\", data_type: TYPE_{datatype}, dims: [ -1 ] }} ]\n\
         output [ {{ name: \"y\", data_type: TYPE_{datatype}, dims: [ -1 ] }} ]\n\
         instance_group [ {{ count: 1, kind: KIND_CPU }} ]\n{fields}\n"
    );
    fs::write(model.join("config.pbtxt"), text).unwrap();
}

/// Returns the folder of the backend, which is compiled once.
fn backends() -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("triton_core_backends");
        compile_backend(&folder);
        folder
    });
    folder.clone()
}

fn compile_backend(backends: &Path) {
    let backend = backends.join("test");
    fs::create_dir_all(&backend).unwrap();
    // Another process may be using the library.
    let new = backend.join(format!("{}.so", process::id()));
    let compiled = Command::new("cc")
        .args(["-Wall", "-Werror", "-O1", "-shared", "-fPIC", "-o"])
        .arg(&new)
        .arg(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/common/backend.c"
        ))
        .status();
    assert!(compiled.unwrap().success());
    fs::rename(new, backend.join("libtriton_test.so")).unwrap();
}

impl TestCore {
    /// Starts a server with some of the models, a budget and an exit timeout.
    pub(crate) fn start(models: &[&str], budget_bytes: usize, exit_timeout_secs: u32) -> Self {
        let only = alone();
        let folder = TempDir::new().unwrap();
        for (name, datatype, fields) in MODELS {
            write_model(&folder.path().join("models"), name, datatype, fields);
        }
        // Does not load.
        let broken = folder.path().join("models/Broken");
        fs::create_dir(&broken).unwrap();
        fs::write(broken.join("config.pbtxt"), "max_batch_size: -1").unwrap();
        let mut options = CoreOptions::new(folder.path().join("models"));
        options.backends = Some(backends());
        let models = models.iter().map(|name| (*name).to_owned());
        options.control = ModelControl::Explicit(models.collect());
        options.exit_timeout_secs = exit_timeout_secs;
        let budget = MemoryBudget::new(budget_bytes);
        let core = Core::start(library(), &options, Some(Arc::clone(&budget))).unwrap();
        Self {
            core,
            budget,
            _folder: folder,
            _only: only,
        }
    }

    /// Returns a request with one row.
    pub(crate) fn request(&self, row: &[f32]) -> InferRequest {
        let data: Vec<u8> = row.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.bytes(DataType::Fp32, &[1, row.len()], data)
    }

    /// Returns a request with any input.
    pub(crate) fn bytes(&self, datatype: DataType, shape: &[usize], data: Vec<u8>) -> InferRequest {
        let mut memory = self.budget.empty_permit();
        memory.grow(data.len()).unwrap();
        let mut request = InferRequest::new(memory);
        let shape = shape.iter().map(|dim| i64::try_from(*dim).unwrap());
        request.inputs.push(InferInput {
            name: "x".to_owned(),
            datatype,
            shape: shape.collect(),
            data: Bytes::from(data),
        });
        request
    }
}
