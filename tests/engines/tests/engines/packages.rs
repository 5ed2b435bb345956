use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Returns cargo's metadata of the workspace and its dependencies.
fn metadata() -> Value {
    let mut cargo = Command::new(env!("CARGO"));
    let output = cargo
        .args(["metadata", "--locked", "--format-version=1"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Returns the published members of the workspace.
fn published(metadata: &Value) -> Vec<&Value> {
    let members = list(&metadata["workspace_members"]);
    let packages = list(&metadata["packages"]).iter();
    packages
        .filter(|package| members.contains(&package["id"]) && package["publish"].is_null())
        .collect()
}

/// Returns the transitive dependencies of these packages.
fn needed<'a>(metadata: &'a Value, packages: &[&'a Value]) -> BTreeSet<&'a str> {
    let nodes = list(&metadata["resolve"]["nodes"]);
    let mut found = BTreeSet::new();
    let mut open: Vec<_> = packages.iter().filter_map(|p| p["id"].as_str()).collect();
    while let Some(id) = open.pop() {
        if !found.insert(id) {
            continue;
        }
        let node = nodes.iter().find(|node| node["id"] == *id).unwrap();
        let used = list(&node["deps"]).iter().filter(|dependency| {
            let mut kinds = list(&dependency["dep_kinds"]).iter();
            kinds.any(|kind| kind["kind"] != "dev")
        });
        open.extend(used.filter_map(|dependency| dependency["pkg"].as_str()));
    }
    found
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// `1.88` and `1.88.0` are equal.
fn version(text: &str) -> Vec<u32> {
    let mut numbers: Vec<u32> = text.split('.').map(|part| part.parse().unwrap()).collect();
    numbers.resize(3, 0);
    numbers
}

/// Each package promises a version. `.ci/oldest` builds with the one of the workspace; this test
/// names the dependencies that need a later one.
#[test]
fn dependencies_support_the_documented_msrv() {
    let metadata = metadata();
    let published = published(&metadata);
    assert!(published.len() > 8, "{published:?}");
    for package in published {
        let promised = package["rust_version"].as_str().unwrap();
        let needed = needed(&metadata, &[package]);
        let packages = list(&metadata["packages"]).iter();
        let wanting = packages.filter_map(|package| {
            let wanted = package["rust_version"].as_str()?;
            let later = version(wanted) > version(promised);
            let id = package["id"].as_str().filter(|id| needed.contains(id))?;
            later.then(|| format!("{id} wants {wanted}"))
        });
        let name = &package["name"];
        assert_eq!(wanting.collect::<Vec<_>>(), [""; 0], "{name}: {promised}");
    }
}

#[test]
fn published_packages_have_metadata() {
    for package in published(&metadata()) {
        let name = &package["name"];
        for field in [
            "description",
            "documentation",
            "license",
            "readme",
            "rust_version",
        ] {
            assert!(package[field].is_string(), "{name} has no {field}");
        }
        for field in ["keywords", "categories"] {
            let count = list(&package[field]).len();
            assert!((1..=5).contains(&count), "{name} has {count} {field}");
        }
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let licence = fs::read_to_string(manifest.with_file_name("LICENSE")).unwrap();
        assert!(licence.contains("Apache License"), "{name}");
        // Only the facade is described by the README of the repository.
        let readme = manifest.with_file_name(package["readme"].as_str().unwrap());
        let readme = fs::read_to_string(readme).unwrap();
        let (title, _) = readme.split_once('\n').unwrap();
        assert_eq!(title, format!("# {}", name.as_str().unwrap()));
        let source = fs::read_to_string(manifest.with_file_name("src/lib.rs")).unwrap();
        let features = package["features"].as_object().unwrap();
        for feature in features.keys().filter(|feature| *feature != "default") {
            let documented = source.contains(&format!("//! - `{feature}`: "));
            assert!(documented, "{name} does not say what `{feature}` is");
        }
        // A package with features must be built by docs.rs with all of them.
        let all = &package["metadata"]["docs"]["rs"]["all-features"];
        assert!(features.is_empty() || *all == true, "{name}");
    }
}
