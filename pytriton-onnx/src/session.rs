use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use pytriton_protocol::signature::onnx::{Dimension, Graph, ValueInfo, ValueType};
use pytriton_protocol::tensor::Tensor;

use crate::tract::Plan;
use crate::{Error, Input};

/// A network that is loaded and can be run, by several threads at the same time.
#[derive(Debug)]
pub struct Session {
    graph: Graph,
    /// Whether axis 0 is a batch.
    batch: bool,
    plan: Plan,
}

impl Session {
    /// Loads a network from the bytes of its file.
    ///
    /// # Errors
    ///
    /// Returns [`Error::File`] if the bytes are not an ONNX model, [`Error::Load`] or
    /// [`Error::Element`] if the runtime does not support it, and [`Error::NoRuntime`] if none is
    /// compiled in.
    pub fn new(file: &[u8]) -> Result<Self, Error> {
        Self::load(file, None)
    }

    /// Loads a network from a file, with weights that are in other files next to it.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new), and [`Error::Io`] if the file cannot be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let file = fs::read(path).map_err(|source| Error::Io {
            path: path.to_owned(),
            source: Arc::new(source),
        })?;
        Self::load(&file, path.parent())
    }

    fn load(file: &[u8], folder: Option<&Path>) -> Result<Self, Error> {
        let graph = Graph::parse(file).map_err(|source| Error::File { source })?;
        let plan = Plan::load(&graph, file, folder)?;
        Ok(Self {
            graph,
            batch: false,
            plan,
        })
    }

    /// Declares that axis 0 of all inputs and outputs is a batch of independent rows: row `n` of
    /// each output depends only on row `n` of the inputs.
    ///
    /// The runtime may then compute each row alone. tract needs that for a network which it cannot
    /// optimize for batches of any size. Without this declaration, all rows are computed together.
    ///
    /// # Errors
    ///
    /// Returns [`Error::BatchAxis`] if a tensor has no axis 0 or one of fixed size, and
    /// [`Error::Load`] if the runtime cannot load the network for a row.
    pub fn with_batch_axis(mut self) -> Result<Self, Error> {
        self.graph.symbolic_axis()?;
        self.plan.set_batch()?;
        self.batch = true;
        Ok(self)
    }

    /// Returns the inputs and outputs of the file.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Runs the network. The outputs are in the order of the file.
    ///
    /// A last dimension of 1 that the file does not have is ignored: the signature of a model has it
    /// for a tensor without a dimension of its own.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Inputs`] or [`Error::Input`] if the inputs are not those of the file,
    /// [`Error::Sizes`] if dimensions with the same name or the rows of a batch have different
    /// sizes, and [`Error::Run`] if the runtime fails.
    pub fn run(&self, inputs: &[Input<'_>]) -> Result<Vec<Tensor>, Error> {
        let expected = &self.graph.inputs;
        if inputs.len() != expected.len() {
            return Err(Error::Inputs {
                expected: expected.len(),
                found: inputs.len(),
            });
        }
        let inputs = expected.iter().zip(inputs);
        let inputs = inputs.map(|(expected, input)| checked(expected, input));
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        self.check_sizes(&inputs)?;
        self.plan.run(&inputs)
    }

    /// Checks that dimensions with the same symbol have the same size.
    fn check_sizes(&self, inputs: &[Input<'_>]) -> Result<(), Error> {
        let mut known = HashMap::new();
        for (value, input) in self.graph.inputs.iter().zip(inputs) {
            let ValueType::Tensor {
                dims: Some(dims), ..
            } = &value.ty
            else {
                continue;
            };
            for (axis, (dimension, &found)) in dims.iter().zip(&input.shape).enumerate() {
                let dimension = match dimension {
                    _ if axis == 0 && self.batch => "axis 0".to_owned(),
                    Dimension::Symbol(symbol) if !symbol.is_empty() => format!("`{symbol}`"),
                    _ => continue,
                };
                let (first, expected) = *known.entry(dimension.clone()).or_insert((value, found));
                if found != expected {
                    return Err(Error::Sizes {
                        dimension,
                        first: first.to_string(),
                        expected,
                        other: value.to_string(),
                        found,
                    });
                }
            }
        }
        Ok(())
    }
}

/// Returns the input with the number of dimensions that the network expects.
fn checked<'a>(expected: &ValueInfo, input: &'a Input<'_>) -> Result<Input<'a>, Error> {
    let mut shape = &*input.shape;
    let same = match &expected.ty {
        ValueType::Tensor { element, dims } => {
            let rank = dims.as_ref().map_or(shape.len(), Vec::len);
            if let [first @ .., 1] = shape
                && first.len() == rank
            {
                shape = first;
            }
            element.datatype() == Some(input.datatype) && shape.len() == rank
        }
        ValueType::Other(_) => false,
    };
    match same {
        true => Ok(Input {
            datatype: input.datatype,
            shape: shape.to_vec(),
            bytes: (&*input.bytes).into(),
        }),
        false => Err(Error::Input {
            expected: expected.to_string(),
            found: input.datatype,
            shape: input.shape.clone(),
        }),
    }
}
