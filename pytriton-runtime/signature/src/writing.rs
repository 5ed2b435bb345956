use std::fmt::Write;

use crate::json::quoted;
use crate::lock_file::FORMAT;
use crate::{LockFile, TensorSignature};

impl LockFile {
    /// Writes the file, one tensor per line.
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
