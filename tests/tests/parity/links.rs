//! The links of the documentation, and the files that it names.

use std::fs;
use std::path::{Path, PathBuf};

use pytriton_tests::Result;

use crate::names::links;
use crate::root;

/// Folders that contain no documentation of the project.
const SKIPPED: [&str; 3] = ["target", ".git", "corpus"];

/// Returns the files below a folder whose names end with `suffix`.
fn files(folder: &Path, suffix: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder)? {
            let (kind, path) = entry.map(|entry| (entry.file_type(), entry.path()))?;
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if kind?.is_dir() {
                if !SKIPPED.contains(&&*name) {
                    open.push(path);
                }
            } else if name.ends_with(suffix) {
                found.push(path);
            }
        }
    }
    Ok(found)
}

/// Removes fenced blocks, which contain no links.
fn without_code(document: &str) -> String {
    let outside = document.split("\n```").step_by(2);
    outside.collect::<Vec<_>>().join("\n")
}

/// Returns the anchor that GitHub and rustdoc give to a heading.
fn anchor(heading: &str) -> String {
    let letters = heading.chars().filter_map(|char| match char {
        ' ' => Some('-'),
        '-' | '_' => Some(char),
        _ => char.is_alphanumeric().then_some(char),
    });
    letters.collect::<String>().to_lowercase()
}

fn has_anchor(document: &str, wanted: &str) -> bool {
    let headings = document.lines().filter(|line| line.starts_with('#'));
    let mut anchors = headings.map(|line| anchor(line.trim_start_matches('#').trim()));
    anchors.any(|found| found == wanted)
}

#[test]
fn links_point_to_files_and_headings() -> Result<()> {
    let root = root().canonicalize()?;
    let documents = files(&root, ".md")?;
    assert!(documents.len() > 20, "{documents:?}");
    let (mut broken, mut followed) = (Vec::new(), 0);
    for document in documents {
        let text = without_code(&fs::read_to_string(&document)?);
        let references = text.lines().filter_map(|line| {
            let (label, target) = line.strip_prefix('[')?.split_once("]: ")?;
            Some((label, target))
        });
        for (label, target) in links(&text).chain(references) {
            if target.contains("://") {
                continue;
            }
            followed += 1;
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let folder = document.parent().unwrap_or(&root);
            let file = match file {
                "" => document.clone(),
                file => folder.join(file),
            };
            let found = file.exists()
                && (heading.is_empty()
                    || has_anchor(&without_code(&fs::read_to_string(file)?), heading));
            if !found {
                broken.push(format!("{}: [{label}]({target})", document.display()));
            }
        }
    }
    assert!(followed > 200, "only {followed} links");
    assert_eq!(broken, [""; 0]);
    Ok(())
}

#[test]
fn contributing_names_files_that_exist() -> Result<()> {
    let root = root().canonicalize()?;
    let document = without_code(&fs::read_to_string(root.join("CONTRIBUTING.md"))?);
    let sources = files(&root, ".rs")?;
    let quoted = document.split('`').skip(1).step_by(2);
    // Names in capitals are placeholders.
    let named = quoted.filter(|text| {
        text.ends_with(".rs") && !text.contains(' ') && !text.contains(|c: char| c.is_uppercase())
    });
    let named: Vec<&str> = named.collect();
    assert!(named.len() > 10, "{named:?}");
    for name in named {
        let exists = sources.iter().any(|source| source.ends_with(name));
        assert!(exists, "there is no {name}");
    }
    Ok(())
}

#[test]
fn anchors_match_headings() {
    for (heading, expected) in [
        ("Access control", "access-control"),
        ("`pytriton.triton`", "pytritontriton"),
        ("Metrics … (all)", "metrics--all"),
        ("Warm-up and fatal errors", "warm-up-and-fatal-errors"),
    ] {
        assert_eq!(anchor(heading), expected);
    }
}
