use std::ffi::{CStr, CString};
use std::fmt::Write;

use pytriton_runtime::model::{ModelSpec, TensorSpec};

/// Returns the text of `help` for a model: how to call it, its description and its tensors.
pub(crate) fn document(spec: &ModelSpec) -> String {
    let parameters = parameters(spec).map(|listed| listed.join(", "));
    let parameters = parameters.unwrap_or_else(|| "*args, **kwargs".to_owned());
    let (name, description) = (&spec.name, description(spec));
    format!("{name}({parameters})\n--\n\n{description}")
}

/// Describes a model and its tensors.
pub(crate) fn description(spec: &ModelSpec) -> String {
    let mut text = String::new();
    if !spec.description.is_empty() {
        text.push_str(&spec.description);
        text.push_str("\n\n");
    }
    section(&mut text, "Parameters", spec, &spec.inputs);
    let returned = match spec.decoupled {
        true => "Yields",
        false => "Returns",
    };
    section(&mut text, returned, spec, &spec.outputs);
    // Writing to a `String` cannot fail.
    let _ = match spec.max_batch_size {
        0 => writeln!(text, "Tensors have no batch axis."),
        most => writeln!(text, "At most {most} rows per call."),
    };
    text
}

/// Leaks a string, because Python functions need static names.
pub(crate) fn forever(text: &str) -> &'static CStr {
    let bytes: Vec<u8> = text.bytes().filter(|byte| *byte != 0).collect();
    Box::leak(CString::new(bytes).unwrap_or_default().into_boxed_c_str())
}

/// Returns the parameters, each with its default, or `None` if a name is not valid in Python.
pub(crate) fn parameters(spec: &ModelSpec) -> Option<Vec<String>> {
    let mut names = spec.inputs.iter().map(|input| &*input.name);
    if !names.all(is_identifier) {
        return None;
    }
    let first = spec.inputs.iter().position(|input| input.optional);
    let first = first.unwrap_or(spec.inputs.len());
    let mut listed = Vec::new();
    for (index, input) in spec.inputs.iter().enumerate() {
        if index > first && !input.optional && !listed.contains(&"*".to_owned()) {
            listed.push("*".to_owned());
        }
        listed.push(match input.optional {
            true => format!("{}=None", input.name),
            false => input.name.to_string(),
        });
    }
    Some(listed)
}

/// Returns whether a name is a valid identifier of Python.
pub(crate) fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    let starts = |c: char| c.is_alphabetic() || c == '_';
    characters.next().is_some_and(starts)
        && characters.all(|c| c.is_alphanumeric() || c == '_')
        && !KEYWORDS.contains(&name)
}

const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

fn section(text: &mut String, title: &str, spec: &ModelSpec, tensors: &[TensorSpec]) {
    let line = "-".repeat(title.len());
    // Writing to a `String` cannot fail.
    let _ = writeln!(text, "{title}\n{line}");
    for tensor in tensors {
        let batch = spec.batching().then(|| "batch".to_owned());
        let dims = tensor.dims.iter().map(|dim| match dim {
            -1 => ":".to_owned(),
            dim => dim.to_string(),
        });
        let dims: Vec<String> = batch.into_iter().chain(dims).collect();
        let optional = if tensor.optional { ", optional" } else { "" };
        let (name, datatype, dims) = (&tensor.name, tensor.datatype, dims.join(", "));
        let _ = writeln!(text, "{name} : {datatype} [{dims}]{optional}");
        for line in tensor.description.lines() {
            let _ = writeln!(text, "    {line}");
        }
    }
    text.push('\n');
}
