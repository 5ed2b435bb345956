//! Writes one program with a module for each program of `tests/fail`, with its advice applied.

#[path = "src/advice.rs"]
mod advice;

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

/// The path from trybuild's package, four levels below the workspace, to the files of the programs.
const FROM_TRYBUILD: &str = "../../../../ui-tests/";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/advice.rs");
    println!("cargo::rerun-if-changed={}", advice::FAIL);
    let mut program = String::new();
    for (index, case) in advice::cases().iter().enumerate() {
        let source = advice::followed(case).replace(FROM_TRYBUILD, "");
        let name = case.file_stem().unwrap_or_default().to_string_lossy();
        let _ = writeln!(program, "mod {name}_{index} {{\n{source}}}\n");
    }
    let folder = env::var_os("OUT_DIR").unwrap_or_default();
    let written = fs::write(Path::new(&folder).join("followed.rs"), program);
    written.unwrap_or_else(|error| panic!("followed.rs: {error}"));
}
