//! Compiles the sources of this crate a second time, as the shared library that tritonserver loads.

use std::env::{var, var_os};
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The codegen options that control linking on this machine. All other flags (target CPU,
/// sanitizer, static C library) are not meant for a library that tritonserver loads.
const LINKING: [&str; 6] = [
    "link-arg",
    "link-args",
    "link-self-contained",
    "linker",
    "linker-features",
    "linker-flavor",
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rustc-check-cfg=cfg(loom)");
    println!("cargo::rustc-check-cfg=cfg(pytriton_library)");
    println!("cargo::rustc-check-cfg=cfg(sanitizer, values(none(), \"thread\"))");
    // On other platforms the crate is empty.
    if text("CARGO_CFG_TARGET_OS") != "linux" || text("CARGO_CFG_TARGET_POINTER_WIDTH") != "64" {
        return;
    }
    let folder = variable("OUT_DIR");
    let library = Path::new(&folder).join("libtriton_pytriton.so");
    let expression = match target() {
        Ok(target) => {
            compile(&target, &library);
            // Relative to `library.rs`, so that the directory of the build can be moved.
            r#"Ok(include_bytes!("libtriton_pytriton.so"))"#.to_owned()
        }
        Err(reason) => format!("Err({reason:?})"),
    };
    let written = Path::new(&folder).join("library.rs");
    if let Err(error) = fs::write(&written, expression) {
        panic!("cannot write {}: {error}", written.display());
    }
}

/// Returns the target of the library. tritonserver is a glibc program, whatever the user's target
/// is.
fn target() -> Result<String, String> {
    let target = text("TARGET");
    if text("CARGO_CFG_TARGET_ENV") == "gnu" {
        return Ok(target);
    }
    // The host target always has a standard library, a linker and a C library.
    let arch = text("CARGO_CFG_TARGET_ARCH");
    let wanted = format!("{arch}-unknown-linux-gnu");
    if text("HOST") == wanted {
        return Ok(wanted);
    }
    Err(format!(
        "the binary is built for {target}, for which the tritonserver backend cannot be compiled: build on {wanted}, or for that target"
    ))
}

fn compile(target: &str, library: &Path) {
    let mut rustc = Command::new(variable("RUSTC"));
    rustc
        .args(["src/lib.rs", "--crate-name", "triton_pytriton"])
        .args(["--crate-type", "cdylib", "--edition", "2024"])
        .args(["--cfg", "pytriton_library", "--cap-lints", "allow"])
        .args(["-Copt-level=3", "-Ccodegen-units=1", "-Cpanic=unwind"])
        .args(["-Cstrip=symbols", "-Coverflow-checks=on"])
        .args(["--target", target, "-o"])
        .arg(library);
    // The linking options apply to the user's target only.
    if target == text("TARGET") {
        if let Some(linker) = var_os("RUSTC_LINKER") {
            let option = [OsString::from("-Clinker="), linker];
            rustc.arg(option.into_iter().collect::<OsString>());
        }
        let flags = var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
        rustc.args(linking(&flags).map(|option| format!("-C{option}")));
    }
    match rustc.status() {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("the Triton backend does not compile: {status}"),
        Err(error) => panic!("{rustc:?} cannot be started: {error}"),
    }
}

/// Returns the linking options among the user's flags, in cargo's encoding.
fn linking(flags: &str) -> impl Iterator<Item = &str> {
    let mut flags = flags.split('\u{1f}');
    let options = std::iter::from_fn(move || {
        let flag = flags.next()?;
        Some(match flag {
            "-C" | "--codegen" => flags.next()?,
            _ => flag
                .strip_prefix("--codegen=")
                .or_else(|| flag.strip_prefix("-C"))
                .unwrap_or_default(),
        })
    });
    options.filter(|option| {
        let name = option.split('=').next().unwrap_or_default();
        LINKING.contains(&name.replace('_', "-").as_str())
    })
}

fn text(name: &str) -> String {
    variable(name).to_string_lossy().into_owned()
}

fn variable(name: &str) -> OsString {
    var_os(name).unwrap_or_else(|| panic!("cargo sets {name} for build scripts"))
}
