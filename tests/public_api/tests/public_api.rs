//! Compares the public API of crates with `lists/`, so that a review shows every change of it.
//! Crates that only generated code and the runtime use have no list.
//!
//! `UPDATE=1` writes the lists.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// The crates whose items users name: those of the facade, which are mostly defined in the others,
/// and the libraries.
const CRATES: [&str; 12] = [
    "pytriton",
    "pytriton-client",
    "pytriton-core",
    "pytriton-embedded",
    "pytriton-engine",
    "pytriton-kserve",
    "pytriton-macros",
    "pytriton-net",
    "pytriton-protocol",
    "pytriton-runtime",
    "pytriton-scheduler",
    "pytriton-signature",
];

/// Only a nightly rustdoc, or one that believes to be one, writes JSON. For cargo itself the
/// variable would rebuild all dependencies.
const RUSTDOC: &str = "#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec rustdoc \"$@\"\n";

/// Writes the JSON documentation of the crates and returns its directory.
fn documented() -> Result<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let rustdoc = folder.join("rustdoc");
    fs::write(&rustdoc, RUSTDOC)?;
    fs::set_permissions(&rustdoc, fs::Permissions::from_mode(0o755))?;
    let target = folder.with_file_name("");
    let status = Command::new(env!("CARGO"))
        .args(["doc", "--no-deps", "--all-features", "--lib"])
        .args(CRATES.map(|name| format!("--package={name}")))
        .arg("--target-dir")
        .arg(&target)
        .env("RUSTDOC", &rustdoc)
        .env("RUSTDOCFLAGS", "-Zunstable-options --output-format=json")
        .status()?;
    match status.success() {
        true => Ok(target.join("doc")),
        false => Err(format!("cargo doc: {status}").into()),
    }
}

/// Returns one line for each public item of a crate.
fn listed(json: &Path) -> Result<String> {
    let api = public_api::Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()?;
    let mut list = String::new();
    for item in api.items() {
        writeln!(list, "{item}")?;
    }
    Ok(list)
}

#[test]
fn public_api_is_as_listed() -> Result {
    let documented = documented()?;
    for name in CRATES {
        let json = documented.join(name.replace('-', "_") + ".json");
        let list = listed(&json)?;
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("lists/{name}.txt"));
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&file, &list)?;
        }
        assert_eq!(fs::read_to_string(&file)?, list, "{}", file.display());
    }
    Ok(())
}
