//! Compiles this crate's sources once more, as the shared library that tritonserver loads.

use std::env::var_os;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rustc-check-cfg=cfg(loom)");
    println!("cargo::rustc-check-cfg=cfg(pytriton_library)");
    if variable("CARGO_CFG_TARGET_OS") != "linux" {
        return;
    }
    let library = Path::new(&variable("OUT_DIR")).join("libtriton_pytriton.so");
    let mut rustc = Command::new(variable("RUSTC"));
    rustc
        .args(["src/lib.rs", "--crate-name", "triton_pytriton"])
        .args(["--crate-type", "cdylib", "--edition", "2024"])
        .args(["--cfg", "pytriton_library", "--cap-lints", "allow"])
        .args(["-Copt-level=3", "-Ccodegen-units=1", "-Cpanic=unwind"])
        .args(["-Cstrip=symbols", "-Coverflow-checks=on"])
        .arg("--target")
        .arg(variable("TARGET"))
        .arg("-o")
        .arg(&library);
    if let Some(linker) = var_os("RUSTC_LINKER") {
        let option = [OsString::from("linker="), linker];
        rustc
            .arg("-C")
            .arg(option.into_iter().collect::<OsString>());
    }
    match rustc.status() {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("the Triton backend does not compile: {status}"),
        Err(error) => panic!("{rustc:?} cannot be started: {error}"),
    }
}

fn variable(name: &str) -> OsString {
    var_os(name).unwrap_or_else(|| panic!("cargo sets {name} for build scripts"))
}
