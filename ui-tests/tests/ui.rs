//! What `#[pytriton::model]` says of what it does not accept, and that what it accepts is tried.

use std::fs;
use std::path::Path;

use pytriton_ui_tests::advice::{cases, entries, followed};

/// All are compiled at once, as long as none of them is to be run: those are targets of this package.
#[test]
fn ui() {
    trybuild::TestCases::new().compile_fail("tests/fail/**/*.rs");
}

#[test]
fn every_program_that_is_accepted_is_a_test() {
    let manifest = fs::read_to_string("Cargo.toml").unwrap();
    for program in entries(Path::new("tests/pass")) {
        let name = program.file_stem().unwrap().to_string_lossy();
        let entry = format!(
            "[[test]]\nname = \"pass_{name}\"\npath = \"tests/pass/{name}.rs\"\nharness = false\n"
        );
        assert!(manifest.contains(&entry), "Cargo.toml needs\n{entry}");
    }
}

#[test]
fn what_a_message_says_to_write_was_written() {
    for case in cases() {
        check_words(&case, &followed(&case));
    }
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
