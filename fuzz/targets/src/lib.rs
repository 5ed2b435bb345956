//! The fuzz targets and the properties that they check.
//!
//! A target passes the input to a decoder of the server. It fails with a panic: that of the
//! decoder, or its own if the decoder allocates more than it has reserved or violates another
//! stated property. The libFuzzer binaries are in `fuzz/fuzz_targets`, one for each entry of
//! [`TARGETS`]. `tests/replay.rs` runs the corpora without libFuzzer.

#[expect(unsafe_code, reason = "an allocator is unsafe to write")]
mod allocator;
mod configuration;
mod files;
mod grpc;
mod http;
mod lines;
mod reserved;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod ring;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod worker_messages;

/// Whether the decoder accepted the input, or the text of its error.
pub type Outcome = Result<(), String>;

/// A fuzz target.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The name of its corpus and of its binary.
    pub name: &'static str,
    /// The function that runs the target on an input.
    pub run: fn(&[u8]) -> Outcome,
}

/// All targets.
pub const TARGETS: &[Target] = &[
    target("binary_infer", http::binary_infer),
    target("control", http::control),
    target("generate", http::generate),
    target("grpc", grpc::grpc),
    target("inflate", http::inflate),
    target("json_infer", http::json_infer),
    target("lock", files::lock),
    target("npy", files::npy),
    target("onnx", files::onnx),
    target("openai", http::openai),
    target("openapi", configuration::openapi),
    target("options", files::options),
    target("pbtxt", configuration::pbtxt),
    target("protobuf", grpc::protobuf),
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    target("ring", ring::ring),
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    target("worker_messages", worker_messages::worker_messages),
];

const fn target(name: &'static str, run: fn(&[u8]) -> Outcome) -> Target {
    Target { name, run }
}

/// Runs the target of that name.
///
/// # Panics
///
/// Panics if the target does not exist, or if it finds a failure.
pub fn run(name: &str, input: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    let Some(target) = target else {
        panic!("no target is called {name}");
    };
    // Only the replay checks whether the input is accepted.
    let _ = (target.run)(input);
}
