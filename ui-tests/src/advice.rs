//! Programs with errors, and the code that their error messages suggest.
//!
//! A program of `tests/fail` ends with lines such as `//~ 3: …`, which follow the advice of its
//! messages. They replace its third line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fmt::Write as _, fs};

/// The directory of the programs, relative to the package.
pub const FAIL: &str = "tests/fail";

/// The program that cannot be in a module, because its advice is about the name of a library.
const NOT_A_MODULE: &str = "backend/library_name.rs";

/// Returns the programs that contain advice.
///
/// # Panics
///
/// Panics if the directory cannot be read.
pub fn cases() -> Vec<PathBuf> {
    let mut cases = entries(Path::new(FAIL));
    cases.retain(|case| !case.ends_with(NOT_A_MODULE));
    cases
}

/// Returns the programs in a directory and below it, sorted.
///
/// # Panics
///
/// Panics if a directory cannot be read.
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

/// Returns a program with its advice applied.
///
/// # Panics
///
/// Panics if the program has no advice, or advice for lines that do not exist.
pub fn followed(case: &Path) -> String {
    let source = fs::read_to_string(case).unwrap();
    let (advice, lines): (Vec<&str>, Vec<&str>) =
        source.lines().partition(|line| line.starts_with("//~ "));
    assert!(
        !advice.is_empty(),
        "{case:?} has no advice: end it with lines such as `//~ 3: …`"
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
    assert!(
        replaced.is_empty(),
        "{case:?} has advice for lines that do not exist: {replaced:?}"
    );
    program
}
