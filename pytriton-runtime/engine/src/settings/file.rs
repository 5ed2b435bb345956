use std::fs;
use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use pytriton_core::text::excerpt;

use super::expected::Expected;
use super::keys::{Keys, is_secret};
use super::validation_error::ValidationError;

/// The number of mistakes that are listed. Reading ends after the next one, so that the time and
/// the text do not grow with the square of the file.
const MAX_MISTAKES: usize = 100;

/// The option for options of models, which a file may contain as one table for each model.
const MODEL: &str = "model";

/// A parsed configuration file.
#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) entries: Vec<Entry>,
    pub(super) mistakes: Vec<ValidationError>,
}

/// One option in the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The name of the option.
    pub(super) name: String,
    /// The values, as on a command line.
    pub(super) values: Vec<String>,
    /// The file and the line.
    pub(super) place: String,
}

impl File {
    /// Reads a file. Continues after each mistake, so that all are reported.
    pub(super) fn read(path: &Path, keys: &Keys) -> Self {
        match fs::read_to_string(path) {
            Ok(text) => Self::parse(&path.display().to_string(), &text, keys),
            Err(error) => {
                let mistake = format!("cannot read the file of --config: {error}");
                Self {
                    mistakes: vec![ValidationError::new(path.display().to_string(), mistake)],
                    ..Self::default()
                }
            }
        }
    }

    /// Parses the text of the file with this name.
    pub(super) fn parse(name: &str, text: &str, keys: &Keys) -> Self {
        let (table, errors) = DeTable::parse_recoverable(text);
        let mut reader = Reader {
            name,
            text,
            keys,
            file: Self::default(),
        };
        for error in &errors {
            if reader.is_full() {
                break;
            }
            let at = error.span().unwrap_or_default();
            reader.mistake(&at, error.message().trim_end());
        }
        // After a syntax error, keys may be incomplete.
        if errors.is_empty() {
            reader.table(&mut Vec::new(), table.get_ref());
        }
        let is_full = reader.is_full();
        let mut file = reader.file;
        file.mistakes.sort_by_key(|mistake| line_of(&mistake.place));
        if is_full {
            file.mistakes.truncate(MAX_MISTAKES);
            let text = format!("more than {MAX_MISTAKES} mistakes; the rest are not listed");
            file.mistakes.push(ValidationError::new(name, text));
        }
        file
    }

    /// Returns the entry for an option.
    pub(super) fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }
}

struct Reader<'a> {
    name: &'a str,
    text: &'a str,
    keys: &'a Keys,
    file: File,
}

impl Reader<'_> {
    /// Reads a table. Section names are prefixes of option names.
    fn table<'t>(&mut self, sections: &mut Vec<&'t str>, table: &'t DeTable<'_>) {
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in entries {
            if self.is_full() {
                return;
            }
            sections.push(key.get_ref());
            match value.get_ref() {
                DeValue::Table(inner) if matches!(sections[..], [MODEL, _]) => {
                    self.model(sections[1], &key.span(), inner);
                }
                DeValue::Table(inner)
                    if self.keys.find(&sections.join("-")).is_none() || sections[..] == [MODEL] =>
                {
                    self.table(sections, inner);
                }
                _ => self.entry(sections, &key.span(), value),
            }
            sections.pop();
        }
    }

    fn entry(&mut self, words: &[&str], at: &Range<usize>, value: &Spanned<DeValue<'_>>) {
        let (name, key) = (words.join("-"), words.join("."));
        let Some(option) = self.keys.find(&name) else {
            let text = format!("unknown key `{}`{}", excerpt(&key), self.advice(words));
            return self.mistake(at, &text);
        };
        let place = self.place(at);
        if let Some(before) = self.file.entry(&name) {
            let text = format!("`{key}` is already set at {}", before.place);
            return self.mistake(at, &text);
        }
        let expected = self.keys.expected(option);
        let values = match expected.read(value.get_ref()) {
            Ok(values) => values,
            Err(found) => {
                let text = format!("`{key}`: expected {expected}, found {found}");
                return self.mistake(at, &text);
            }
        };
        for value in &values {
            if self.is_full() {
                return;
            }
            if let Err(said) = self.keys.check(option, value) {
                let text = match is_secret(option) {
                    true => said,
                    false => format!("`{key}`: {said}"),
                };
                self.mistake(at, &text);
            }
        }
        self.file.entries.push(Entry {
            name,
            values,
            place,
        });
    }

    /// Reads the options of a model.
    fn model(&mut self, name: &str, at: &Range<usize>, options: &DeTable<'_>) {
        let Some(option) = self.keys.find(MODEL) else {
            return;
        };
        let mut values = Vec::new();
        if let Err(found) = overrides(name, options, &mut values) {
            let text = format!("`{MODEL}.{}`: {found}", excerpt(name));
            return self.mistake(at, &text);
        }
        for value in &values {
            if let Err(said) = self.keys.check(option, value) {
                self.mistake(at, &said);
            }
        }
        let mut entries = self.file.entries.iter_mut();
        match entries.find(|entry| entry.name == MODEL) {
            Some(entry) => entry.values.extend(values),
            None => {
                let (name, place) = (MODEL.to_owned(), self.place(at));
                self.file.entries.push(Entry {
                    name,
                    values,
                    place,
                });
            }
        }
    }

    /// Suggests an option for an unknown key.
    fn advice(&self, words: &[&str]) -> String {
        let (last, sections) = words.split_last().unwrap_or((&"", &[]));
        let alone = self.keys.find(last).map(|_| (*last).to_owned());
        let Some(nearest) = alone.or_else(|| self.keys.nearest(&words.join("-"))) else {
            return String::new();
        };
        let prefix: String = sections
            .iter()
            .map(|section| format!("{section}-"))
            .collect();
        match nearest.strip_prefix(&prefix) {
            Some(rest) => format!(": did you mean `{rest}`?"),
            None => format!(": did you mean `{nearest}`, outside of a section?"),
        }
    }

    /// Returns whether there are more mistakes than are listed.
    fn is_full(&self) -> bool {
        self.file.mistakes.len() > MAX_MISTAKES
    }

    fn mistake(&mut self, at: &Range<usize>, text: &str) {
        let place = self.place(at);
        self.file.mistakes.push(ValidationError::new(place, text));
    }

    fn place(&self, at: &Range<usize>) -> String {
        let before = self.text.get(..at.start).unwrap_or(self.text);
        let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
        format!("{}:{line}", self.name)
    }
}

/// Adds the options of a model as on a command line. The name of a model may contain dots.
fn overrides(
    model: &str,
    options: &DeTable<'_>,
    values: &mut Vec<String>,
) -> Result<(), &'static str> {
    for (key, value) in options {
        let name = format!("{model}.{}", key.get_ref());
        let value = match value.get_ref() {
            DeValue::Table(inner) => {
                overrides(&name, inner, values)?;
                continue;
            }
            DeValue::Array(items) => {
                let items: Result<Vec<_>, _> =
                    items.iter().map(|item| scalar(item.get_ref())).collect();
                format!("[{}]", items?.join(", "))
            }
            value => scalar(value)?,
        };
        values.push(format!("{name}={value}"));
    }
    Ok(())
}

fn scalar(value: &DeValue<'_>) -> Result<String, &'static str> {
    let types = [Expected::Boolean, Expected::Number, Expected::Text].into_iter();
    let mut read = types.filter_map(|expected| expected.read(value).ok());
    let text = read.next().and_then(|mut values| values.pop());
    text.ok_or("expected a number, a boolean, a string or a list of them")
}

fn line_of(place: &str) -> usize {
    let line = place.rsplit(':').next();
    line.and_then(|line| line.parse().ok()).unwrap_or_default()
}
