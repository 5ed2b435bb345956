//! Models described by an input with one entry per line: `model NAME BATCH`,
//! `input NAME DATATYPE DIMS`, `output NAME DATATYPE DIMS`, `parameter NAME VALUE`, `label VALUE`,
//! `about TEXT`.

use std::sync::Arc;

use pytriton_runtime::fuzzing;
use pytriton_runtime::model::{ModelSpec, TensorSpec};

/// The maximum number of lines: more models or tensors would not find more.
const MOST_LINES: usize = 64;

/// The maximum number of dimensions of a tensor. A document nests a schema for each.
const MOST_DIMS: usize = 32;

/// Parses the models; there is always at least one.
///
/// The rules of the registry are not checked, because the generated text must be well-formed for
/// any name.
pub(crate) fn models(input: &[u8]) -> Vec<ModelSpec> {
    let text = String::from_utf8_lossy(input);
    let mut models = vec![model("Fuzzed", 8)];
    for line in text.split('\n').take(MOST_LINES) {
        let mut words = line.splitn(4, ' ');
        let mut word = || words.next().unwrap_or_default();
        let (kind, name, second, third) = (word(), word(), word(), word());
        let rest = || line.split_once(' ').map_or("", |(_, rest)| rest);
        if kind == "model" {
            models.push(model(name, second.parse().unwrap_or(8)));
        }
        let Some(model) = models.last_mut() else {
            continue;
        };
        match kind {
            "input" => model.inputs.extend(tensor(name, second, third)),
            "output" => model.outputs.extend(tensor(name, second, third)),
            "parameter" => model.parameters.push((name.into(), second.into())),
            "label" => {
                model.labels.insert(0, rest().into());
            }
            "about" => model.description = rest().into(),
            _ => {}
        }
    }
    models
}

fn model(name: &str, max_batch_size: u32) -> ModelSpec {
    let mut model = Arc::unwrap_or_clone(fuzzing::every_datatype());
    model.name = name.into();
    model.max_batch_size = max_batch_size;
    model.inputs.clear();
    model.outputs.clear();
    model
}

fn tensor(name: &str, datatype: &str, dims: &str) -> Option<TensorSpec> {
    let dims = dims.split(',').filter_map(|dim| dim.parse().ok());
    let dims: Vec<i64> = dims.take(MOST_DIMS).collect();
    let mut tensor = TensorSpec::new(name, datatype.parse().ok()?, dims);
    tensor.optional = name.len().is_multiple_of(2);
    tensor.description = name.into();
    Some(tensor)
}
