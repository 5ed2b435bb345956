use std::path::PathBuf;
use std::{env, fs};

use pytriton_signature::onnx::Graph;
use pytriton_signature::{DataType, ModelSignature};
use syn::LitStr;

use crate::errors::Errors;

/// The maximum number of inputs of a call.
const MAX_INPUTS: usize = 16;
/// The maximum number of outputs in a tuple.
const MAX_OUTPUTS: usize = 8;
/// The maximum rank of an array.
const MAX_RANK: usize = 6;

/// An ONNX file and its path.
#[derive(Debug)]
pub(super) struct File {
    pub(super) path: PathBuf,
    /// The path as the user wrote it.
    pub(super) name: LitStr,
    pub(super) graph: Graph,
}

impl File {
    /// Reads a file relative to the manifest of the crate that is being built.
    pub(super) fn read(name: LitStr, errors: &mut Errors) -> Option<Self> {
        let folder = env::var_os("CARGO_MANIFEST_DIR").map_or_else(PathBuf::new, PathBuf::from);
        let text = name.value();
        let path = folder.join(&text);
        let graph = match fs::read(&path) {
            Ok(bytes) => Graph::parse(&bytes).map_err(|error| format!("`{text}`: {error}")),
            Err(error) => Err(format!("cannot read `{text}` next to Cargo.toml: {error}")),
        };
        match graph {
            Ok(graph) if graph.has_external_data => {
                let message = format!(
                    "weights of `{text}` are in another file: export the network with all weights in one file"
                );
                errors.push(&name, message);
                None
            }
            Ok(graph) => Some(Self { path, name, graph }),
            Err(message) => {
                errors.push(&name, message);
                None
            }
        }
    }

    /// Returns the signature of the model with or without a batch axis.
    pub(super) fn signature(&self, batching: bool, errors: &mut Errors) -> Option<ModelSignature> {
        let name = self.name.value();
        let before = errors.len();
        let mut report = |message: String| errors.push(&self.name, format!("`{name}`: {message}"));
        let signature = self.graph.signature("", u32::from(batching));
        let signature = match signature {
            Ok(signature) => signature,
            Err(flaws) => {
                flaws.iter().for_each(|flaw| report(flaw.to_string()));
                return None;
            }
        };
        for (values, tensors) in [
            (&self.graph.inputs, &signature.inputs),
            (&self.graph.outputs, &signature.outputs),
        ] {
            for (value, tensor) in values.iter().zip(tensors) {
                if tensor.datatype == DataType::Bytes {
                    report(format!("`{value}`: texts are not supported"));
                }
                if tensor.dims.len() + usize::from(batching) > MAX_RANK {
                    report(format!("`{value}` has more than {MAX_RANK} dimensions"));
                }
            }
        }
        for (count, most, what) in [
            (signature.inputs.len(), MAX_INPUTS, "inputs"),
            (signature.outputs.len(), MAX_OUTPUTS, "outputs"),
        ] {
            if count > most {
                report(format!("a model has at most {most} {what}, found {count}"));
            }
        }
        (errors.len() == before).then_some(signature)
    }
}
