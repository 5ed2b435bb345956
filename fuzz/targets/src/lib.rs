//! The fuzz targets: what is done with an input, and what must hold then.
//!
//! A target passes the input to a decoder of the server and fails by a panic: that of the decoder, or its
//! own if the decoder allocates more than it has reserved, or breaks another property that the target
//! states. The libFuzzer binaries are in `fuzz/fuzz_targets`, one for each entry of [`TARGETS`];
//! `tests/replay.rs` runs the corpora without libFuzzer.

#[expect(unsafe_code, reason = "an allocator is unsafe to write")]
mod allocator;
mod bound;
mod configuration;
mod files;
mod grpc;
mod http;
mod lines;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod ring;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod wire;

/// Whether the decoder accepted the input, or the text of its error.
pub type Outcome = Result<(), String>;

/// A target.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The name of its corpus and of its binary.
    pub name: &'static str,
    /// What is done with an input.
    pub run: fn(&[u8]) -> Outcome,
}

/// All targets.
pub const TARGETS: &[Target] = &[
    target("binary_infer", http::binary_infer),
    target("control", http::control),
    target("generate", http::generate),
    target("inflate", http::inflate),
    target("json_infer", http::json_infer),
    target("lock", files::lock),
    target("npy", files::npy),
    target("openai", http::openai),
    target("openapi", configuration::openapi),
    target("options", files::options),
    target("pbtxt", configuration::pbtxt),
    target("protobuf", grpc::protobuf),
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    target("ring", ring::ring),
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    target("wire", wire::wire),
];

const fn target(name: &'static str, run: fn(&[u8]) -> Outcome) -> Target {
    Target { name, run }
}

/// Runs the target of that name.
///
/// # Panics
///
/// Panics if there is no such target, or if it has found something.
pub fn run(name: &str, input: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    let Some(target) = target else {
        panic!("no target is called {name}");
    };
    // Whether the input is accepted is for the replay alone.
    let _ = (target.run)(input);
}
