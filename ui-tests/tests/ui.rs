//! What `#[pytriton::model]` accepts, and what it says of everything else.
//!
//! A program of `tests/fail` ends with lines `//~ 3: …`, which follow the advice of its messages: they stand in the place
//! of its third line.

#![expect(
    clippy::unwrap_used,
    reason = "a case that cannot be read is a failure"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fmt::Write as _, fs};

/// What cannot stand in a module: the advice is about the name of a library.
const ALONE: &str = "backend/library_name.rs";

#[test]
fn ui() {
    let followed = Path::new(env!("CARGO_TARGET_TMPDIR")).join("followed.rs");
    fs::write(&followed, every_advice_followed()).unwrap();
    let cases = trybuild::TestCases::new();
    cases.pass(followed);
    cases.compile_fail("tests/fail/**/*.rs");
    cases.pass("tests/pass/*.rs");
}

#[test]
fn what_a_message_says_to_write_was_written() {
    for case in cases() {
        check_words(&case, &followed(&case));
    }
}

/// One program with a module for each program of `tests/fail`, as its messages say that it should be.
fn every_advice_followed() -> String {
    let mut program = "#![allow(unused)]\n\n".to_owned();
    for (index, case) in cases().iter().enumerate() {
        let source = followed(case);
        let name = case.file_stem().unwrap().to_string_lossy();
        writeln!(program, "mod {name}_{index} {{\n{source}}}\n").unwrap();
    }
    program + "fn main() {}\n"
}

/// The programs of `tests/fail`.
fn cases() -> Vec<PathBuf> {
    let mut cases = entries(Path::new("tests/fail"));
    cases.retain(|case| !case.ends_with(ALONE));
    cases
}

/// The programs in a folder and those below it, in order.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(entries(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// A program whose lines are replaced as it says.
fn followed(case: &Path) -> String {
    let source = fs::read_to_string(case).unwrap();
    let (advice, lines): (Vec<&str>, Vec<&str>) =
        source.lines().partition(|line| line.starts_with("//~ "));
    assert!(
        !advice.is_empty(),
        "{case:?} does not follow its advice: write `//~ 3: …` at its end"
    );
    let mut replaced: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for line in advice {
        let (number, text) = line["//~ ".len()..].split_once(':').unwrap();
        let number = number.parse().unwrap();
        replaced
            .entry(number)
            .or_default()
            .push(text.strip_prefix(' ').unwrap_or(text));
    }
    let mut program = String::new();
    for (index, line) in lines.iter().enumerate() {
        for line in replaced.remove(&(index + 1)).unwrap_or(vec![line]) {
            writeln!(program, "{line}").unwrap();
        }
    }
    assert!(replaced.is_empty(), "{case:?} has no lines {replaced:?}");
    program
}

/// What a message says to write, word by word, is what was written.
fn check_words(case: &Path, program: &str) {
    let messages = fs::read_to_string(case.with_extension("stderr")).unwrap_or_default();
    for message in messages.lines().filter(|line| line.starts_with("error")) {
        let advice = message
            .split_once(" write `")
            .or(message.split_once("did you mean `"));
        let Some((_, advice)) = advice else { continue };
        let words: Vec<&str> = advice.split('`').step_by(2).collect();
        let open = |word: &&str| word.contains('…') || program.contains(*word);
        assert!(
            words.iter().any(open),
            "{case:?} does not write what it says: {message}"
        );
    }
}
