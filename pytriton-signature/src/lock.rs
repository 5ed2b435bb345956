use std::collections::HashSet;
use std::fmt::{self, Write};

use crate::json::{self, Kind, Value, quoted};
use crate::{Change, ModelSignature, TensorSignature};

/// The signatures of a binary's models, as they are written down in a file that is kept beside the code of their callers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lock {
    /// The models with their versions, in the order of both.
    pub models: Vec<(u32, ModelSignature)>,
}

/// What this crate writes and reads.
const FORMAT: i64 = 1;

/// Why a text is no lock file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}

impl LockError {
    pub(crate) fn new(line: usize, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { line, message }
    }
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for LockError {}

impl Lock {
    /// The file of these models, a tensor a line.
    pub fn to_json(&self) -> String {
        let mut text = format!("{{\n  \"format\": {FORMAT},\n  \"models\": [");
        for (index, (version, model)) in self.models.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            let sequences = if model.sequences {
                "\n      \"sequences\": true,"
            } else {
                ""
            };
            // Writing to a `String` never fails.
            let _ = write!(
                text,
                "{comma}\n    {{\n      \"name\": {},\n      \"version\": {version},\n      \"max_batch_size\": {},\n      \"decoupled\": {},{sequences}\n      \"inputs\": {},\n      \"outputs\": {}\n    }}",
                quoted(&model.name),
                model.max_batch_size,
                model.decoupled,
                tensors(&model.inputs),
                tensors(&model.outputs),
            );
        }
        text.push_str(if self.models.is_empty() {
            "]\n}\n"
        } else {
            "\n  ]\n}\n"
        });
        text
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// A [`LockError`] for a text that is no such file, or one of a later version.
    pub fn parse(text: &str) -> Result<Self, LockError> {
        let mut file = Members::of(json::parse(text)?)?;
        let format = file.number("format")?;
        if format != FORMAT {
            let message = format!(
                "format {format} is not known here, only {FORMAT}: write the file anew, or take the version of pytriton that wrote it"
            );
            return Err(LockError::new(file.line, message));
        }
        let models = distinct(file.list("models", model)?)?;
        file.end()?;
        Ok(Self { models })
    }

    /// What of `found` is not as callers of these models expect it, with the model in front of it.
    ///
    /// A model of a version that is not served is gone; one that is not in the file is new.
    pub fn changes(&self, found: &Self) -> Vec<Change> {
        let named = |models: &[(u32, ModelSignature)], version, model: &ModelSignature| {
            let mut models = models.iter();
            models
                .find(|(other, found)| *other == version && found.name == model.name)
                .map(|(_, model)| model.clone())
        };
        let whole = |version, model: &ModelSignature, there: bool| {
            let sides = ["none".to_owned(), "a model".to_owned()];
            let [expected, found] = match there {
                true => sides,
                false => {
                    let [none, model] = sides;
                    [model, none]
                }
            };
            Change {
                what: format!("{} {version}", model.name),
                expected,
                found,
                breaking: !there,
            }
        };
        let mut changes = Vec::new();
        for (version, model) in &self.models {
            let Some(now) = named(&found.models, *version, model) else {
                changes.push(whole(version, model, false));
                continue;
            };
            let differences = [model.changes(&now), model.moves(&now)];
            changes.extend(differences.into_iter().flatten().map(|mut change| {
                change.what = format!("{} {version}, {}", model.name, change.what);
                change
            }));
        }
        for (version, model) in &found.models {
            if named(&self.models, *version, model).is_none() {
                changes.push(whole(version, model, true));
            }
        }
        changes
    }
}

fn tensors(tensors: &[TensorSignature]) -> String {
    let lines = tensors.iter().map(|tensor| {
        let dims: Vec<String> = tensor.dims.iter().map(i64::to_string).collect();
        let optional = if tensor.optional {
            ", \"optional\": true"
        } else {
            ""
        };
        let first = if tensor.first_value {
            ", \"first_value\": true"
        } else {
            ""
        };
        format!(
            "\n        {{\"name\": {}, \"datatype\": \"{}\", \"shape\": [{}]{optional}{first}}}",
            quoted(&tensor.name),
            tensor.datatype,
            dims.join(", ")
        )
    });
    let lines: Vec<String> = lines.collect();
    match lines.is_empty() {
        true => "[]".to_owned(),
        false => format!("[{}\n      ]", lines.join(",")),
    }
}

/// What is in a list, without the lines, of which no two have the same name.
fn distinct<T: Named>(list: Vec<(usize, T)>) -> Result<Vec<T>, LockError> {
    let mut names = HashSet::new();
    for (line, item) in &list {
        let name = item.unique();
        if !names.insert(name.clone()) {
            return Err(LockError::new(*line, format!("{name} is there twice")));
        }
    }
    Ok(list.into_iter().map(|(_, item)| item).collect())
}

/// What is there once.
trait Named {
    fn unique(&self) -> String;
}

impl Named for TensorSignature {
    fn unique(&self) -> String {
        format!("`{}`", self.name)
    }
}

impl Named for (u32, ModelSignature) {
    fn unique(&self) -> String {
        format!("`{}` of version {}", self.1.name, self.0)
    }
}

fn model(value: Value) -> Result<(usize, (u32, ModelSignature)), LockError> {
    let mut members = Members::of(value)?;
    let line = members.line;
    let name = members.text("name")?;
    let version = members.size("version")?;
    let max_batch_size = members.size("max_batch_size")?;
    let mut model = ModelSignature::new(&name, max_batch_size, members.flag("decoupled")?);
    model.sequences = members.flag_if("sequences")?;
    model.inputs = distinct(members.list("inputs", tensor)?)?;
    model.outputs = distinct(members.list("outputs", tensor)?)?;
    members.end()?;
    Ok((line, (version, model)))
}

fn tensor(value: Value) -> Result<(usize, TensorSignature), LockError> {
    let mut members = Members::of(value)?;
    let line = members.line;
    let name = members.text("name")?;
    let datatype = members.text("datatype")?;
    let unknown = |()| LockError::new(line, format!("`{datatype}` is no datatype"));
    let datatype = datatype.parse().map_err(unknown)?;
    let dims = members.list("shape", |value| match value.kind {
        Kind::Number(dim) if dim >= -1 => Ok(dim),
        _ => Err(LockError::new(
            value.line,
            "expected a dimension, -1 for any size",
        )),
    })?;
    let tensor = TensorSignature {
        optional: members.flag_if("optional")?,
        first_value: members.flag_if("first_value")?,
        ..TensorSignature::new(&name, datatype, &dims)
    };
    members.end()?;
    Ok((line, tensor))
}

/// The members of an object, which are taken out by their names.
struct Members {
    line: usize,
    members: Vec<(String, Value)>,
}

impl Members {
    fn of(value: Value) -> Result<Self, LockError> {
        let line = value.line;
        match value.kind {
            Kind::Object(members) => Ok(Self { line, members }),
            _ => Err(LockError::new(line, "expected an object")),
        }
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        let index = self.members.iter().position(|(other, _)| other == name)?;
        Some(self.members.remove(index).1)
    }

    fn must(&mut self, name: &str) -> Result<Value, LockError> {
        let missing = LockError::new(self.line, format!("`{name}` is missing"));
        self.take(name).ok_or(missing)
    }

    fn text(&mut self, name: &str) -> Result<String, LockError> {
        match self.must(name)? {
            Value {
                kind: Kind::Text(text),
                ..
            } => Ok(text),
            other => Err(wrong(name, "a text", &other)),
        }
    }

    fn number(&mut self, name: &str) -> Result<i64, LockError> {
        match self.must(name)? {
            Value {
                kind: Kind::Number(number),
                ..
            } => Ok(number),
            other => Err(wrong(name, "a number", &other)),
        }
    }

    /// A number that is not negative.
    fn size(&mut self, name: &str) -> Result<u32, LockError> {
        let number = self.number(name)?;
        let wrong = |_| LockError::new(self.line, format!("`{name}` cannot be {number}"));
        u32::try_from(number).map_err(wrong)
    }

    fn flag(&mut self, name: &str) -> Result<bool, LockError> {
        match self.must(name)? {
            Value {
                kind: Kind::Bool(flag),
                ..
            } => Ok(flag),
            other => Err(wrong(name, "`true` or `false`", &other)),
        }
    }

    /// The same where it may be missing.
    fn flag_if(&mut self, name: &str) -> Result<bool, LockError> {
        match self.members.iter().any(|(other, _)| other == name) {
            true => self.flag(name),
            false => Ok(false),
        }
    }

    fn list<T>(
        &mut self,
        name: &str,
        item: impl FnMut(Value) -> Result<T, LockError>,
    ) -> Result<Vec<T>, LockError> {
        match self.must(name)? {
            Value {
                kind: Kind::List(items),
                ..
            } => items.into_iter().map(item).collect(),
            other => Err(wrong(name, "a list", &other)),
        }
    }

    /// What is not known is refused: it may be misspelt, or mean something.
    fn end(self) -> Result<(), LockError> {
        match self.members.first() {
            None => Ok(()),
            Some((name, value)) => {
                let message = format!("`{name}` is not known here");
                Err(LockError::new(value.line, message))
            }
        }
    }
}

fn wrong(name: &str, expected: &str, value: &Value) -> LockError {
    LockError::new(value.line, format!("`{name}`: expected {expected}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DataType::{Bytes, Fp32};

    const TEXT: &str = r#"{
  "format": 1,
  "models": [
    {
      "name": "Linear",
      "version": 1,
      "max_batch_size": 16,
      "decoupled": false,
      "inputs": [
        {"name": "x", "datatype": "FP32", "shape": [20]},
        {"name": "scale", "datatype": "FP32", "shape": [1], "optional": true, "first_value": true}
      ],
      "outputs": [
        {"name": "OUTPUT_1", "datatype": "FP32", "shape": [-1, 30]}
      ]
    },
    {
      "name": "Words",
      "version": 2,
      "max_batch_size": 0,
      "decoupled": true,
      "sequences": true,
      "inputs": [],
      "outputs": [
        {"name": "a \"word\"\u000a\\", "datatype": "BYTES", "shape": [1]}
      ]
    }
  ]
}
"#;

    fn lock() -> Lock {
        let linear = ModelSignature::new("Linear", 16, false)
            .input(TensorSignature::new("x", Fp32, &[20]))
            .input(
                TensorSignature::new("scale", Fp32, &[1])
                    .optional()
                    .first_value(),
            )
            .output(TensorSignature::new("OUTPUT_1", Fp32, &[-1, 30]));
        let word = TensorSignature::new("a \"word\"\n\\", Bytes, &[1]);
        let words = ModelSignature::new("Words", 0, true)
            .sequences()
            .output(word);
        Lock {
            models: vec![(1, linear), (2, words)],
        }
    }

    #[test]
    fn a_file_is_readable_and_reads_back() {
        assert_eq!(lock().to_json(), TEXT);
        assert_eq!(Lock::parse(TEXT), Ok(lock()));
        let empty = Lock::default();
        assert_eq!(Lock::parse(&empty.to_json()), Ok(empty));
    }

    #[test]
    fn what_is_no_lock_file_is_told_by_its_line() {
        let table = [
            ("", "line 1: expected a value, found the end of the file"),
            (
                "{\n\"format\": 1",
                "line 2: expected `,` or `}`, found the end of the file",
            ),
            ("[]", "line 1: expected an object"),
            ("{}", "line 1: `format` is missing"),
            (
                "{\"format\": 1, \"models\": []} x",
                "line 1: expected the end of the file, found `x`",
            ),
            ("{\"format\": \"1\"}", "line 1: `format`: expected a number"),
            (
                "{\"format\": 2, \"models\": 5}",
                "line 1: format 2 is not known here, only 1: write the file anew, or take the version of pytriton that wrote it",
            ),
            (
                "{\"format\": 1, \"models\": [\n{}]}",
                "line 2: `name` is missing",
            ),
            (
                "{\"format\": 1, \"models\": [],\n\"more\": 1}",
                "line 2: `more` is not known here",
            ),
            (
                "{\"format\": 1.5}",
                "line 1: expected `,` or `}`, found `.`",
            ),
            (
                "{\"a\": \"\\x\"}",
                "line 1: expected an escaped character, found `\"`",
            ),
        ];
        for (text, expected) in table {
            assert_eq!(Lock::parse(text).unwrap_err().to_string(), expected);
        }
        let deep = "[".repeat(100_000);
        assert!(Lock::parse(&deep).is_err());
        for (old, new, expected) in [
            ("FP32", "FP8", "line 10: `FP8` is no datatype"),
            (
                "[20]",
                "[-2]",
                "line 10: expected a dimension, -1 for any size",
            ),
            ("16", "-1", "line 4: `max_batch_size` cannot be -1"),
            ("scale", "x", "line 11: `x` is there twice"),
            (
                "Words\",\n      \"version\": 2",
                "Linear\",\n      \"version\": 1",
                "line 17: `Linear` of version 1 is there twice",
            ),
            (
                "true,",
                "1,",
                "line 11: `optional`: expected `true` or `false`",
            ),
        ] {
            let error = Lock::parse(&TEXT.replacen(old, new, 1)).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn models_come_and_go() {
        let (old, mut new) = (lock(), lock());
        assert_eq!(old.changes(&new), []);
        new.models[0].1.decoupled = true;
        new.models[0].1.inputs.swap(0, 1);
        new.models[1].0 = 3;
        let changes = old.changes(&new);
        let lines: Vec<(String, bool)> = changes
            .iter()
            .map(|change| (change.to_string(), change.breaking))
            .collect();
        let expected = [
            ("Linear 1, answers: expected one, found any number", true),
            (
                "Linear 1, order of inputs: expected `x` `scale`, found `scale` `x`",
                true,
            ),
            ("Words 2: expected a model, found none", true),
            ("Words 3: expected none, found a model", false),
        ];
        assert_eq!(
            lines,
            expected.map(|(line, breaking)| (line.to_owned(), breaking))
        );
    }
}
