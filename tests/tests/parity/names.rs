use std::fs;
use std::path::Path;
use std::time::Duration;

use pytriton_tests::{Python, Result, finish};

use crate::root;

const DEADLINE: Duration = Duration::from_secs(30);

/// One row of a table whose last column names tests and examples.
struct Row<'a> {
    /// The module that the table describes.
    module: &'a str,
    names: Vec<&'a str>,
    here: &'a str,
    shown_by: &'a str,
}

impl<'a> Row<'a> {
    /// Returns the rows below headings that name a module.
    fn all(document: &'a str) -> Vec<Self> {
        let mut rows = Vec::new();
        let mut module = None;
        for line in document.lines() {
            if let Some(heading) = line.strip_prefix("## ") {
                module = heading
                    .strip_prefix('`')
                    .and_then(|it| it.strip_suffix('`'));
            }
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            if let (Some(module), ["", names, here, shown_by, ""]) = (module, cells.as_slice())
                && names.starts_with('`')
            {
                rows.push(Self {
                    module,
                    names: names.split('`').skip(1).step_by(2).collect(),
                    here,
                    shown_by,
                });
            }
        }
        rows
    }

    /// Returns whether one of its names, which may contain `*`, matches a name or its function.
    fn is_about(&self, name: &str) -> bool {
        self.names.iter().any(|own| self.means(own, name))
    }

    fn means(&self, own: &str, name: &str) -> bool {
        let Some(name) = name.strip_prefix(self.module) else {
            return false;
        };
        let Some(name) = name.strip_prefix('.') else {
            return false;
        };
        let function = name.split('(').next().unwrap_or(name);
        match own.split_once('*') {
            Some((start, end)) => name.starts_with(start) && name.ends_with(end),
            None => own == name || own == function,
        }
    }
}

fn read(path: &str) -> Result<String> {
    Ok(fs::read_to_string(root().join(path))?)
}

/// Returns the texts and targets of the links in a text.
pub(super) fn links(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split('[').skip(1).filter_map(|rest| {
        let (label, rest) = rest.split_once("](")?;
        let (target, _) = rest.split_once(')')?;
        Some((label, target))
    })
}

#[test]
fn names_match_pytriton() -> Result<()> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let made = target.join("names.txt");
    let mut script = Python::with_pytriton(target)?.command();
    script.arg("names.py").arg(&made);
    script.current_dir(root().join("tests/parity"));
    finish(&mut script, DEADLINE)?.success("names.py")?;
    let made = fs::read_to_string(made)?;
    assert_eq!(
        made,
        read("tests/parity/names.txt")?,
        "run names.py names.txt"
    );
    Ok(())
}

#[test]
fn every_name_has_a_row_and_every_row_a_name() -> Result<()> {
    let document = read("docs/pytriton.md")?;
    // The names in the package, and the example clients, which are only in the sources.
    let names = read("tests/parity/names.txt")? + &read("tests/parity/examples.txt")?;
    let rows = Row::all(&document);
    let missing: Vec<&str> = names
        .lines()
        .filter(|name| !rows.iter().any(|row| row.is_about(name)))
        .collect();
    assert!(
        missing.is_empty(),
        "docs/pytriton.md says nothing of {missing:#?}"
    );
    for row in &rows {
        for own in &row.names {
            let known = names.lines().any(|name| row.means(own, name));
            assert!(known, "PyTriton has no {}.{own}", row.module);
        }
    }
    Ok(())
}

#[test]
fn supported_names_have_a_test_and_others_a_reason() -> Result<()> {
    let document = read("docs/pytriton.md")?;
    for row in Row::all(&document) {
        let names = row.names.join(", ");
        let absent = ["None: "]
            .iter()
            .find_map(|word| row.here.strip_prefix(word));
        match absent {
            Some(reason) => assert!(!reason.is_empty(), "{names}: no reason"),
            None => assert!(
                links(row.shown_by).next().is_some(),
                "{names}: no test, no example"
            ),
        }
    }
    Ok(())
}

#[test]
fn links_point_to_the_named_items() -> Result<()> {
    let document = read("docs/pytriton.md")?;
    for (label, target) in links(&document) {
        let (file, heading) = target.split_once('#').unwrap_or((target, ""));
        if file.is_empty() {
            let headings = document.lines().filter_map(|line| line.strip_prefix("## "));
            let mut headings = headings.map(|text| text.to_lowercase().replace(' ', "-"));
            assert!(headings.any(|it| it == heading), "there is no {target}");
            continue;
        }
        let path = root().join("docs").join(file);
        assert!(path.is_file(), "there is no {target}");
        // The label of a test is the name of its function; other labels contain a character that
        // function names cannot have.
        if label.contains(['/', '`']) || file.ends_with(".md") {
            continue;
        }
        let source = fs::read_to_string(path)?;
        let defined = ["fn", "def"].map(|word| format!("{word} {label}("));
        assert!(
            defined.iter().any(|it| source.contains(it)),
            "{target} has no {label}"
        );
    }
    Ok(())
}

#[test]
fn every_field_is_an_option() -> Result<()> {
    let names = read("tests/parity/names.txt")?;
    let mut help = std::process::Command::new(env!("CARGO_BIN_EXE_test_models"));
    let help = finish(help.arg("--help"), DEADLINE)?.success("--help")?;
    let words: Vec<&str> = help
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
        .collect();
    let fields = names
        .lines()
        .filter_map(|name| name.strip_prefix("pytriton.triton.TritonConfig."));
    let functions = ["to_dict", "from_dict", "from_env"];
    let fields: Vec<&str> = fields
        .filter(|field| !functions.contains(&field.split('(').next().unwrap_or(field)))
        .collect();
    assert!(fields.contains(&"http_port"));
    for field in fields {
        let option = format!("--{}", field.replace('_', "-"));
        assert!(words.contains(&option.as_str()), "there is no {option}");
    }
    Ok(())
}
