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
fn corpora_find_nothing() {
    thread::scope(|scope| {
        for target in TARGETS {
            scope.spawn(|| replay(target));
        }
    });
}

fn replay(target: &Target) {
    let mut accepted = 0;
    for entry in fs::read_dir(fuzz().join("corpus").join(target.name)).unwrap() {
        let path = entry.unwrap().path();
        let input = fs::read(&path).unwrap();
        // The message of the target's panic does not name the file.
        let outcome = catch_unwind(|| (target.run)(&input))
            .unwrap_or_else(|_| panic!("{} has found something", path.display()));
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.starts_with("valid") {
            assert_eq!(outcome, Ok(()), "{}", path.display());
            accepted += 1;
        }
    }
    assert!(accepted > 0, "no file of {} is valid", target.name);
}
