//! A crate of its own that has the feature `client` alone, and of the models nothing but their file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use pytriton_tests::{Engine, Finished, finish};

use crate::{Result, SERVED, folder, serve, urls};

/// A build from nothing takes a minute on two cores, later ones a second.
const BUILD: Duration = Duration::from_secs(600);
const DEADLINE: Duration = Duration::from_secs(20);

/// The folder of a crate, outside of the workspace.
struct Crate(PathBuf);

impl Crate {
    /// A crate with the versions of the workspace: nothing is downloaded.
    fn new() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        // Always the same one, of which cargo knows what it has built.
        let home = folder().join("alone");
        fs::create_dir_all(home.join("src"))?;
        let manifest = format!(
            r#"[package]
name = "alone"
version = "0.1.0"
edition = "2024"

[dependencies]
pytriton = {{ path = {:?}, default-features = false, features = ["client"] }}

[profile.dev]
debug = "line-tables-only"

[workspace]
"#,
            root.join("pytriton")
        );
        fs::write(home.join("Cargo.toml"), manifest)?;
        fs::copy(root.join("Cargo.lock"), home.join("Cargo.lock"))?;
        let program = include_str!("../../alone/main.rs");
        fs::write(home.join("src/main.rs"), program)?;
        Ok(Self(home))
    }

    fn lock(&self, lock: &str) -> Result {
        Ok(fs::write(self.0.join("models.lock"), lock)?)
    }

    fn build(&self) -> Result<Finished> {
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--offline", "--quiet", "--target-dir"]);
        // That of the workspace, without the folder for tests.
        build.arg(folder().with_file_name(""));
        build.current_dir(&self.0).env_remove("CARGO_BUILD_TARGET");
        Ok(finish(&mut build, BUILD)?)
    }

    fn run(&self, url: &str) -> Result<String> {
        let program = folder().with_file_name("debug/alone");
        let finished = finish(Command::new(program).arg(url), DEADLINE)?;
        Ok(finished.success("alone")?.trim_end().to_owned())
    }
}

#[test]
fn a_crate_has_the_file_alone_and_is_built_anew_when_it_changes() -> Result {
    let server = serve(Engine::Embedded, &[])?;
    let listed = finish(
        Command::new(SERVED).args(["list", "--format", "json"]),
        DEADLINE,
    )?;
    let lock = listed.success("list")?;
    let alone = Crate::new()?;
    alone.lock(&lock)?;
    alone.build()?.success("cargo build")?;
    for url in urls(&server) {
        assert_eq!(alone.run(&url)?, "420");
    }

    let x = r#"{"name": "x", "datatype": "FP32", "shape": [20]}"#;
    assert!(lock.contains(x));
    alone.lock(&lock.replacen(x, &x.replace("FP32", "FP64"), 1))?;
    let refused = alone.build()?;
    assert!(!refused.status.success());
    // The line of the call, and what it must be now.
    for words in ["src/main.rs:20", "f64"] {
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
    }

    alone.lock(&lock.replacen("\"Linear\"", "\"Gone\"", 1))?;
    let refused = alone.build()?;
    assert!(
        refused.stderr.contains("cannot find type `Linear`"),
        "{}",
        refused.stderr
    );

    // What compiles is in the program.
    let (model, rest) = lock.split_once("\"name\": \"Linear\"").unwrap_or_default();
    let rest = rest.replacen("\"max_batch_size\": 16", "\"max_batch_size\": 32", 1);
    alone.lock(&format!("{model}\"name\": \"Linear\"{rest}"))?;
    alone.build()?.success("cargo build")?;
    let expected = "batching: expected up to 32 rows, found up to 16 rows";
    for url in urls(&server) {
        let said = alone.run(&url)?;
        assert!(said.contains(expected), "{said}");
    }
    Ok(())
}
