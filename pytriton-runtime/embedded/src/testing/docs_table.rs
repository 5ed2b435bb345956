use std::path::PathBuf;
use std::{env, fs};

use parking_lot::Mutex;

/// The tests of several tables read and write the same file.
static PAGE: Mutex<()> = Mutex::new(());

/// Compares a table of `docs/operations.md` with the code. `complete` adds what is missing to the
/// rows. `UPDATE=1` writes the completed table, for review.
///
/// `heading` is the start of the header line, such as `| Group |`.
pub(crate) fn check_table(heading: &str, complete: impl FnOnce(&mut Vec<Vec<String>>)) {
    let _page = PAGE.lock();
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/operations.md");
    let page = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<&str> = page.lines().collect();
    let header = lines.iter().position(|line| line.starts_with(heading));
    // The header line, and the line below it.
    let start = header.unwrap() + 2;
    let length = lines[start..]
        .iter()
        .take_while(|line| line.starts_with('|'));
    let end = start + length.count();
    let given: Vec<_> = lines[start..end].iter().map(|line| cells(line)).collect();
    let mut completed = given.clone();
    complete(&mut completed);
    if completed == given {
        return;
    }
    let texts: Vec<String> = completed.iter().map(|row| text(row)).collect();
    let missing: Vec<_> = texts
        .iter()
        .filter(|text| !lines.contains(&&***text))
        .cloned()
        .collect();
    assert!(
        env::var_os("UPDATE").is_some(),
        "UPDATE=1 cargo test -p pytriton-embedded --lib writes these rows: {missing:#?}"
    );
    lines.splice(start..end, texts.iter().map(String::as_str));
    fs::write(&path, lines.join("\n") + "\n").unwrap();
}

fn cells(line: &str) -> Vec<String> {
    let line = line.trim_start_matches('|').trim_end_matches('|');
    line.split('|').map(|cell| cell.trim().to_owned()).collect()
}

fn text(row: &[String]) -> String {
    let cells = row.iter().map(|cell| match cell.is_empty() {
        true => " |".to_owned(),
        false => format!(" {cell} |"),
    });
    format!("|{}", cells.collect::<String>())
}
