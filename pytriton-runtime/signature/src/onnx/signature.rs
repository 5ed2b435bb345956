use std::error::Error;
use std::fmt;

use crate::{DataType, ModelSignature, NameFlaw, TensorSignature, tensor_name_flaw};

use super::{Dimension, ElementType, Graph, ValueInfo, ValueType};

/// The reason why an input or output of a graph cannot be one of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueError {
    /// The value is not a tensor.
    NotATensor {
        /// Its name.
        name: String,
        /// What it is instead, such as `sequence`.
        what: &'static str,
    },
    /// The protocol has no such element type.
    Element {
        /// The name of the tensor.
        name: String,
        /// Its element type.
        element: ElementType,
    },
    /// The number of dimensions is unknown.
    Rank {
        /// The name of the tensor.
        name: String,
    },
    /// A dimension is 0, so that the tensor has no elements.
    Empty {
        /// The name and type of the tensor.
        tensor: String,
    },
    /// The name is not allowed.
    Name {
        /// The name of the tensor.
        name: String,
        /// The rule that it violates.
        flaw: NameFlaw,
    },
}

impl Graph {
    /// Returns the signature of the model `name`. If `max_batch_size` is not 0, axis 0 of each
    /// tensor is the batch: see [`batch_axis`](Self::batch_axis).
    ///
    /// A dimension with a symbol is -1. A tensor without a dimension of its own has the dims `[1]`.
    ///
    /// # Errors
    ///
    /// Returns a [`ValueError`] for each input and output that a model cannot have.
    pub fn signature(
        &self,
        name: &str,
        max_batch_size: u32,
    ) -> Result<ModelSignature, Vec<ValueError>> {
        let mut signature = ModelSignature::new(name, max_batch_size, false);
        let skipped = usize::from(signature.batching());
        let mut errors = Vec::new();
        let mut tensors = |values: &[ValueInfo]| {
            let mut tensors = Vec::new();
            for value in values {
                match value.tensor(skipped) {
                    Ok(tensor) => tensors.push(tensor),
                    Err(error) => errors.push(error),
                }
            }
            tensors
        };
        signature.inputs = tensors(&self.inputs);
        signature.outputs = tensors(&self.outputs);
        match errors.is_empty() {
            true => Ok(signature),
            false => Err(errors),
        }
    }
}

impl ValueInfo {
    /// Returns the tensor without its first `skipped` dimensions.
    fn tensor(&self, skipped: usize) -> Result<TensorSignature, ValueError> {
        let name = self.name.clone();
        if let Some(flaw) = tensor_name_flaw(&name) {
            return Err(ValueError::Name { name, flaw });
        }
        let (element, dims) = match &self.ty {
            ValueType::Tensor { element, dims } => (*element, dims),
            ValueType::Other(what) => return Err(ValueError::NotATensor { name, what }),
        };
        let Some(datatype) = element.datatype() else {
            return Err(ValueError::Element { name, element });
        };
        let Some(dims) = dims else {
            return Err(ValueError::Rank { name });
        };
        let mut sizes: Vec<i64> = dims.iter().skip(skipped).map(Dimension::size).collect();
        if sizes.contains(&0) {
            let tensor = self.to_string();
            return Err(ValueError::Empty { tensor });
        }
        if sizes.is_empty() {
            sizes.push(1);
        }
        Ok(TensorSignature::new(&name, datatype, &sizes))
    }
}

impl Dimension {
    /// Returns the size; -1 for any.
    fn size(&self) -> i64 {
        match self {
            Self::Fixed(size) => *size,
            Self::Symbol(_) => -1,
        }
    }
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotATensor { name, what } => {
                write!(f, "`{name}` is a {what}: expected a tensor")
            }
            Self::Element { name, element } => {
                let supported = DataType::ALL.map(DataType::name).join(", ");
                write!(
                    f,
                    "`{name}` has elements of {element}: expected one of {supported}"
                )
            }
            Self::Rank { name } => write!(
                f,
                "`{name}` has an unknown number of dimensions: export it with a shape"
            ),
            Self::Empty { tensor } => write!(f, "`{tensor}` has a dimension of 0"),
            Self::Name { name, flaw } => write!(f, "`{name}` is not a valid name: {flaw}"),
        }
    }
}

impl Error for ValueError {}
