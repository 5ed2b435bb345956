//! Programs with mistakes, and what the messages about them say to write.
//!
//! A program of `tests/fail` ends with lines `//~ 3: …`, which follow the advice of its messages: they stand in the place
//! of its third line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fmt::Write as _, fs};

/// Where the programs are, below the folder of the package.
pub const FAIL: &str = "tests/fail";

/// What cannot stand in a module: the advice is about the name of a library.
const ALONE: &str = "backend/library_name.rs";

/// The programs that say what they should be.
///
/// # Panics
///
/// When the folder cannot be read.
pub fn cases() -> Vec<PathBuf> {
    let mut cases = entries(Path::new(FAIL));
    cases.retain(|case| !case.ends_with(ALONE));
    cases
}

/// The programs in a folder and those below it, in order.
///
/// # Panics
///
/// When one cannot be read.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
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
///
/// # Panics
///
/// When it says nothing, or speaks of lines that it has not.
pub fn followed(case: &Path) -> String {
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
