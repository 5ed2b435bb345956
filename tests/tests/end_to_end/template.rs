//! A crate that is created from `templates/model`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pytriton_tests::{Outside, Result, Server, finish};

use crate::command_line::{DEADLINE, FREE_PORTS};
use crate::folder;
use crate::own_program::respond;

/// Returns the files below a folder.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => found.extend(files(&path)?),
            false => found.push(path),
        }
    }
    Ok(found)
}

#[test]
fn crate_from_the_template_passes_its_test_and_serves() -> Result<()> {
    let model = Outside::from_template(folder(), "from-template")?;
    let files = files(model.home())?;
    for name in [
        "src/main.rs",
        "pytriton.toml",
        "Dockerfile",
        ".github/workflows/ci.yml",
    ] {
        assert!(files.contains(&model.home().join(name)), "{files:?}");
    }
    for file in files {
        let text = fs::read_to_string(&file)?;
        assert!(!text.contains("{{"), "{}", file.display());
    }
    let tested = model.cargo("test")?.success("cargo test")?;
    assert!(tested.contains("1 passed"), "{tested}");
    model.build()?.success("cargo build")?;
    // The commands of its CI file and of its Dockerfile.
    let configuration = model.home().join("pytriton.toml");
    let mut check = Command::new(model.program());
    check.arg("check").args(FREE_PORTS).arg("--config");
    let checked = finish(check.arg(&configuration), DEADLINE)?.success("check")?;
    assert!(checked.contains("pytriton.toml:"), "{checked}");
    let mut serve = Command::new(model.program());
    serve.args(FREE_PORTS).env("PYTRITON_CONFIG", configuration);
    let server = Server::spawn(&mut serve)?;
    // The command of its README.
    let body = r#"{"x": [1, 2], "factor": 3}"#;
    let response = respond(&server, "POST", "/v2/models/Scale/generate", body)?;
    assert!(response.contains(r#""OUTPUT_1":[3.0,6.0]"#), "{response}");
    server.signal("TERM")?;
    let (status, log) = server.wait(DEADLINE)?;
    assert_eq!(status.code(), Some(0), "{log}");
    Ok(())
}
