//! The type stub of the module, for type checkers and editors.

use std::fmt::Write;
use std::sync::Arc;

use pytriton_runtime::model::{ModelSpec, TensorSpec};
use pytriton_runtime::tensor::DataType;

use crate::signature::{description, is_identifier};

/// The part of the stub that is the same in every module.
const COMMON: &str = r#"from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

class InferenceError(RuntimeError):
    status: int

class Server:
    @property
    def http(self) -> str | None: ...
    @property
    def grpc(self) -> str | None: ...
    @property
    def metrics(self) -> str | None: ...
    def stop(self) -> None: ...
    def __enter__(self) -> Server: ...
    def __exit__(self, *exception: object) -> None: ...

@overload
def serve(*, background: Literal[False] = False, **options: object) -> None: ...
@overload
def serve(*, background: Literal[True], **options: object) -> Server: ...
def infer(
    model: str,
    inputs: dict[str, Any],
    *,
    version: int | None = None,
    parameters: dict[str, Any] | None = None,
) -> Any: ...
"#;

/// Returns the text of the module's `.pyi` file. Each model comes with the name of its function.
pub(crate) fn stub<'a>(models: impl IntoIterator<Item = (&'a str, &'a Arc<ModelSpec>)>) -> String {
    let mut text = COMMON.to_owned();
    for (name, spec) in models {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "\n{}", function(name, spec));
    }
    text
}

fn function(name: &str, spec: &ModelSpec) -> String {
    let mut text = String::new();
    let mut returned = match &*spec.outputs {
        [output] => array(output),
        outputs => {
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "class _{name}Outputs(NamedTuple):");
            for (index, output) in outputs.iter().enumerate() {
                let field = field(index, &output.name);
                let _ = writeln!(text, "    {field}: {}", array(output));
            }
            if outputs.is_empty() {
                text.push_str("    pass\n");
            }
            text.push('\n');
            format!("_{name}Outputs")
        }
    };
    if spec.decoupled {
        returned = format!("Iterator[{returned}]");
    }
    let parameters = parameters(spec);
    // A docstring ends at three quotes, and a backslash starts an escape sequence.
    let docstring = description(spec).replace('\\', r"\\").replace('"', r#"\""#);
    let docstring = docstring
        .trim_end()
        .replace('\n', "\n    ")
        .replace("\n    \n", "\n\n");
    // Writing to a `String` cannot fail.
    let _ = writeln!(
        text,
        "def {name}({parameters}) -> {returned}:\n    \"\"\"{docstring}\n    \"\"\""
    );
    text
}

/// Returns the name of a field, as `namedtuple` renames it.
fn field(index: usize, name: &str) -> String {
    match is_identifier(name) && !name.starts_with('_') {
        true => name.to_owned(),
        false => format!("_{index}"),
    }
}

fn parameters(spec: &ModelSpec) -> String {
    let Some(listed) = crate::signature::parameters(spec) else {
        return "*args: ArrayLike | None, **kwargs: ArrayLike | None".to_owned();
    };
    let typed =
        listed.into_iter().map(
            |parameter| match (parameter.split_once('='), parameter.as_str()) {
                (Some((name, default)), _) => format!("{name}: ArrayLike | None = {default}"),
                (None, "*") => parameter,
                (None, name) => format!("{name}: ArrayLike"),
            },
        );
    typed.collect::<Vec<_>>().join(", ")
}

fn array(output: &TensorSpec) -> String {
    let element = match output.datatype {
        DataType::Bool => "bool_",
        DataType::Uint8 => "uint8",
        DataType::Uint16 => "uint16",
        DataType::Uint32 => "uint32",
        DataType::Uint64 => "uint64",
        DataType::Int8 => "int8",
        DataType::Int16 => "int16",
        DataType::Int32 => "int32",
        DataType::Int64 => "int64",
        DataType::Fp16 => "float16",
        // numpy has no BF16.
        DataType::Bf16 | DataType::Fp32 => "float32",
        DataType::Fp64 => "float64",
        DataType::Bytes => "object_",
    };
    let omitted = if output.optional { " | None" } else { "" };
    format!("NDArray[np.{element}]{omitted}")
}
