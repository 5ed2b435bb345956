//! Runs every target on its corpus without libFuzzer.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails as a test does")]

use std::collections::BTreeSet;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::{fs, thread};

use pytriton_fuzz_targets::{TARGETS, Target};

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the names in a directory, without the extension `.rs`.
fn names(folder: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(fuzz().join(folder)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .map(|name| name.trim_end_matches(".rs").to_owned())
        .collect()
}

#[test]
fn every_target_has_a_binary_and_a_corpus() {
    let targets: BTreeSet<String> = TARGETS
        .iter()
        .map(|target| target.name.to_owned())
        .collect();
    assert!(targets.len() >= 12);
    assert_eq!(names("fuzz_targets"), targets);
    assert_eq!(names("corpus"), targets);
}

/// A file whose name begins with `valid` must be accepted. No other file may make the target fail.
#[test]
fn corpora_have_no_findings() {
    let findings = thread::scope(|scope| {
        let replays = TARGETS.iter().map(|target| scope.spawn(|| replay(target)));
        let replays: Vec<_> = replays.collect();
        let findings = replays
            .into_iter()
            .flat_map(|replay| replay.join().unwrap());
        findings.collect::<Vec<_>>()
    });
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

/// Runs a target on its corpus and returns one line for each finding.
fn replay(target: &Target) -> Vec<String> {
    let (mut accepted, mut findings) = (0, Vec::new());
    for entry in fs::read_dir(fuzz().join("corpus").join(target.name)).unwrap() {
        let path = entry.unwrap().path();
        let input = fs::read(&path).unwrap();
        let valid = path
            .file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .starts_with("valid");
        accepted += u32::from(valid);
        match catch_unwind(|| (target.run)(&input)) {
            Err(panic) => {
                let message = panic
                    .downcast_ref::<String>()
                    .map_or("panicked", |text| text);
                findings.push(format!("{}: {message}", path.display()));
            }
            Ok(Err(error)) if valid => findings.push(format!("{}: {error}", path.display())),
            Ok(_) => {}
        }
    }
    if accepted == 0 {
        findings.push(format!("no file of {} is valid", target.name));
    }
    findings
}
