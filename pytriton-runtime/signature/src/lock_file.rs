use crate::{Change, ModelSignature};

/// The signatures of a binary's models, as stored in a file next to the code of their callers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LockFile {
    /// The models with their versions, sorted by both.
    pub models: Vec<(u32, ModelSignature)>,
}

/// The format version that this crate reads and writes.
pub(crate) const FORMAT: i64 = 1;

impl LockFile {
    /// Returns the differences between `found` and what callers of these models expect, each with
    /// the model's name.
    ///
    /// A version that is not served counts as removed, and one that is not in the file as added.
    pub fn changes(&self, found: &Self) -> Vec<Change> {
        let named = |models: &[(u32, ModelSignature)], version, model: &ModelSignature| {
            let mut models = models.iter();
            models
                .find(|(other, found)| *other == version && found.name == model.name)
                .map(|(_, model)| model.clone())
        };
        let presence_change = |version, model: &ModelSignature, there: bool| {
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
                changes.push(presence_change(version, model, false));
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
                changes.push(presence_change(version, model, true));
            }
        }
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DataType::{Bytes, Fp32};
    use crate::TensorSignature;

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

    fn lock() -> LockFile {
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
        LockFile {
            models: vec![(1, linear), (2, words)],
        }
    }

    #[test]
    fn lock_file_is_readable_and_round_trips() {
        assert_eq!(lock().to_json(), TEXT);
        assert_eq!(LockFile::parse(TEXT), Ok(lock()));
        let empty = LockFile::default();
        assert_eq!(LockFile::parse(&empty.to_json()), Ok(empty));
    }

    #[test]
    fn invalid_signature_file_is_reported_with_its_line() {
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
                "line 1: format 2 is not supported, only 1: rewrite the file, or use the version of pytriton that wrote it",
            ),
            (
                "{\"format\": 1, \"models\": [\n{}]}",
                "line 2: `name` is missing",
            ),
            (
                "{\"format\": 1, \"models\": [],\n\"more\": 1}",
                "line 2: `more` is unknown",
            ),
            (
                "{\"format\": 1.5}",
                "line 1: expected `,` or `}`, found `.`",
            ),
            (
                "{\"a\": \"\\x\"}",
                "line 1: expected an escape sequence, found `\"`",
            ),
        ];
        for (text, expected) in table {
            assert_eq!(LockFile::parse(text).unwrap_err().to_string(), expected);
        }
        let deep = "[".repeat(100_000);
        assert!(LockFile::parse(&deep).is_err());
        for (old, new, expected) in [
            ("FP32", "FP8", "line 10: `FP8` is not a datatype"),
            (
                "[20]",
                "[-2]",
                "line 10: expected a dimension, -1 for any size",
            ),
            ("16", "-1", "line 4: `max_batch_size` cannot be -1"),
            ("scale", "x", "line 11: `x` occurs twice"),
            (
                "Words\",\n      \"version\": 2",
                "Linear\",\n      \"version\": 1",
                "line 17: `Linear` of version 1 occurs twice",
            ),
            (
                "true,",
                "1,",
                "line 11: `optional`: expected `true` or `false`",
            ),
        ] {
            let error = LockFile::parse(&TEXT.replacen(old, new, 1)).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn models_are_loaded_and_unloaded() {
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
            ("Linear 1, responses: expected one, found any number", true),
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
