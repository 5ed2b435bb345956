//! Tests of the build script for other targets and flags than those of these tests.

#![cfg(all(not(loom), target_arch = "x86_64"))]
#![expect(clippy::unwrap_used, reason = "a helper of tests fails as a test does")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

const GNU: &str = "x86_64-unknown-linux-gnu";
const MUSL: &str = "x86_64-unknown-linux-musl";

/// The build script, compiled once.
static SCRIPT: LazyLock<PathBuf> = LazyLock::new(|| {
    let script = Path::new(env!("CARGO_TARGET_TMPDIR")).join("build_script");
    let mut compiler = Command::new("rustc");
    compiler.args(["--edition", "2024", "build.rs", "-o"]);
    let status = compiler.arg(&script).current_dir(PACKAGE).status();
    assert!(status.unwrap().success());
    script
});

const PACKAGE: &str = env!("CARGO_MANIFEST_DIR");

/// The result of a build.
struct Built {
    folder: PathBuf,
    output: Output,
}

impl Built {
    fn new(name: &str, target: &str, host: &str, variables: &[(&str, &str)]) -> Self {
        let folder = folder(name);
        let environment = target.rsplit('-').next().unwrap();
        let mut script = Command::new(&*SCRIPT);
        script
            .current_dir(PACKAGE)
            .env_remove("RUSTC_LINKER")
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .env("RUSTC", "rustc")
            .env("OUT_DIR", &folder)
            .env("TARGET", target)
            .env("HOST", host)
            .env("CARGO_CFG_TARGET_OS", "linux")
            .env("CARGO_CFG_TARGET_ARCH", "x86_64")
            .env("CARGO_CFG_TARGET_ENV", environment)
            .env("CARGO_CFG_TARGET_POINTER_WIDTH", "64")
            .envs(variables.iter().copied());
        let output = script.output().unwrap();
        Self { folder, output }
    }

    /// Returns the expression that replaces the library in the binary.
    fn expression(&self) -> String {
        assert!(self.output.status.success(), "{:?}", self.output);
        fs::read_to_string(self.folder.join("library.rs")).unwrap()
    }

    fn library(&self) -> Vec<u8> {
        assert!(self.expression().starts_with("Ok(include_bytes!("));
        fs::read(self.folder.join("libtriton_pytriton.so")).unwrap()
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn contains(library: &[u8], text: &str) -> bool {
    let mut windows = library.windows(text.len());
    windows.any(|window| window == text.as_bytes())
}

#[test]
fn musl_binary_embeds_glibc_library() {
    // The linker is for musl, and so are the flags.
    let variables = [
        ("RUSTC_LINKER", "/no/such/linker"),
        ("CARGO_ENCODED_RUSTFLAGS", "-Clink-arg=/no/such/file"),
    ];
    let library = Built::new("musl", MUSL, GNU, &variables).library();
    assert!(contains(&library, "libc.so.6"));
}

#[test]
fn missing_library_is_reported() {
    for host in [MUSL, "aarch64-unknown-linux-gnu"] {
        let built = Built::new("without", MUSL, host, &[]);
        let expected = format!(
            "Err(\"the binary is built for {MUSL}, for which the tritonserver backend cannot be compiled: \
             build on {GNU}, or for that target\")"
        );
        assert_eq!(built.expression(), expected, "{host}");
    }
}

#[test]
fn other_systems_embed_no_library() {
    for variable in [
        ("CARGO_CFG_TARGET_OS", "macos"),
        ("CARGO_CFG_TARGET_POINTER_WIDTH", "32"),
    ] {
        let built = Built::new("alone", GNU, GNU, &[variable]);
        assert!(built.output.status.success(), "{:?}", built.output);
        assert!(!built.folder.join("library.rs").exists());
    }
}

#[test]
fn user_linker_settings_apply_to_the_library() {
    let tools = folder("tools");
    let linker = |name: &str| {
        let path = tools.join(name);
        let log = path.with_extension("log");
        let script = format!(
            "#!/bin/sh\necho \"$@\" >'{}'\nexec cc \"$@\"\n",
            log.display()
        );
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        (path.display().to_string(), log)
    };
    let ((named, named_log), (flag, flag_log)) = (linker("named"), linker("flag"));
    let first = format!("-Clinker={flag}");
    let flags = [
        first.as_str(),
        "-C",
        "link-arg=-Wl,--defsym=one=1",
        "--codegen=link_args=-Wl,--defsym=two=2 -Wl,--defsym=three=3",
        "--codegen",
        "link-arg=-Wl,--defsym=four=4",
        // Not about linking, or would create a library that tritonserver cannot load.
        "-Ctarget-feature=+crt-static",
        "-Zsanitizer=address",
        "--cfg",
        "loom",
        "-Lnative=/no/such/folder",
    ]
    .join("\u{1f}");
    let variables = [
        ("RUSTC_LINKER", named.as_str()),
        ("CARGO_ENCODED_RUSTFLAGS", flags.as_str()),
    ];
    let library = Built::new("flags", GNU, GNU, &variables).library();
    assert!(contains(&library, "libc.so.6"));
    // The flags follow the configuration of the target, as when cargo calls the compiler.
    assert!(!named_log.exists());
    let arguments = fs::read_to_string(flag_log).unwrap();
    for symbol in ["one=1", "two=2", "three=3", "four=4"] {
        assert!(arguments.contains(symbol), "{symbol}: {arguments}");
    }
    assert!(!arguments.contains("/no/such/folder"), "{arguments}");

    let named = [("RUSTC_LINKER", named.as_str())];
    Built::new("configured", GNU, GNU, &named).library();
    assert!(named_log.exists());
}
