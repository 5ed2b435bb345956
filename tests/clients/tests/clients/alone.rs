//! Builds a crate with only the feature `client` and the signature file of the models.

use std::fs;
use std::process::Command;
use std::time::Duration;

use pytriton_tests::{Engine, Outside, finish};

use crate::{Result, SERVED, folder, serve, urls};

const DEADLINE: Duration = Duration::from_secs(20);

fn lock(alone: &Outside, lock: &str) -> Result {
    Ok(fs::write(alone.home().join("models.lock"), lock)?)
}

fn run(alone: &Outside, url: &str) -> Result<String> {
    let finished = finish(Command::new(alone.program()).arg(url), DEADLINE)?;
    Ok(finished.success("alone")?.trim_end().to_owned())
}

#[test]
fn crate_with_only_the_signature_file_is_rebuilt_on_changes() -> Result {
    let server = serve(Engine::Embedded, &[])?;
    let listed = finish(
        Command::new(SERVED).args(["list", "--format", "json"]),
        DEADLINE,
    )?;
    let models = listed.success("list")?;
    let alone = Outside::new(folder(), "alone")?;
    let program = include_str!("../../alone/main.rs");
    fs::write(alone.home().join("src/main.rs"), program)?;
    lock(&alone, &models)?;
    alone.build()?.success("cargo build")?;
    for url in urls(&server) {
        assert_eq!(run(&alone, &url)?, "420");
    }

    let x = r#"{"name": "x", "datatype": "FP32", "shape": [20]}"#;
    assert!(models.contains(x));
    lock(&alone, &models.replacen(x, &x.replace("FP32", "FP64"), 1))?;
    let refused = alone.build()?;
    assert!(!refused.status.success());
    // The line of the call, and the new type.
    for words in ["src/main.rs:20", "f64"] {
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
    }

    lock(&alone, &models.replacen("\"Linear\"", "\"Gone\"", 1))?;
    let refused = alone.build()?;
    assert!(
        refused.stderr.contains("cannot find type `Linear`"),
        "{}",
        refused.stderr
    );

    // A compatible change must compile, and the program contains the signature.
    let (model, rest) = models
        .split_once("\"name\": \"Linear\"")
        .unwrap_or_default();
    let rest = rest.replacen("\"max_batch_size\": 16", "\"max_batch_size\": 32", 1);
    lock(&alone, &format!("{model}\"name\": \"Linear\"{rest}"))?;
    alone.build()?.success("cargo build")?;
    let expected = "batching: expected up to 32 rows, found up to 16 rows";
    for url in urls(&server) {
        let stderr = run(&alone, &url)?;
        assert!(stderr.contains(expected), "{stderr}");
    }
    Ok(())
}
