//! The index of the examples.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use pytriton_tests::Result;

use crate::names::links;
use crate::root;

/// Returns the names of the entries of a folder that a function accepts.
fn names(folder: &Path, name: impl Fn(&Path) -> Option<String>) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        found.extend(name(&entry?.path()));
    }
    Ok(found)
}

#[test]
fn every_example_is_in_the_index() -> Result<()> {
    let root = root();
    let index = fs::read_to_string(root.join("examples/README.md"))?;
    let linked: Vec<_> = links(&index).collect();
    let folders = names(&root.join("examples"), |path| {
        let name = path.is_dir().then(|| path.file_name())??;
        Some(name.to_string_lossy().into_owned())
    })?;
    let programs = names(&root.join("tests/programs/tests"), |path| {
        let is_program = path.extension().is_some_and(|extension| extension == "rs");
        let name = is_program.then(|| path.file_stem())??;
        Some(name.to_string_lossy().into_owned())
    })?;
    assert!(folders.len() > 20 && programs.len() > 20);
    let mut missing = Vec::new();
    for (names, before) in [(folders, ""), (programs, "../tests/programs/tests/")] {
        for name in names {
            let after = if before.is_empty() { "/" } else { ".rs" };
            let target = format!("{before}{name}{after}");
            let is_linked = |(label, to): &(&str, &str)| {
                *label == format!("`{name}`") && to.starts_with(&target)
            };
            if !linked.iter().any(is_linked) {
                missing.push(target);
            }
        }
    }
    assert_eq!(missing, [""; 0], "examples/README.md");
    Ok(())
}

#[test]
fn commands_of_the_index_name_packages_and_binaries() -> Result<()> {
    let root = root();
    let index = fs::read_to_string(root.join("examples/README.md"))?;
    let commands = index.split('`').filter(|text| text.contains("cargo run"));
    let mut count = 0;
    for command in commands {
        let words: Vec<_> = command.split(' ').collect();
        let value = |option: &str| {
            let at = words.iter().position(|word| *word == option)?;
            words.get(at + 1).copied()
        };
        let package = value("-p").unwrap_or_default();
        let folder = root.join("examples").join(package);
        assert!(folder.join("Cargo.toml").exists(), "{command}");
        if let Some(binary) = value("--bin") {
            let source = folder.join(format!("src/bin/{binary}.rs"));
            assert!(source.exists(), "{command}");
        }
        count += 1;
    }
    assert!(count > 20, "{count} commands");
    Ok(())
}
