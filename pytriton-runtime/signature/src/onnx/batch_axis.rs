use std::error::Error;
use std::fmt;

use super::{Dimension, Graph, ValueInfo, ValueType};

/// The reason why axis 0 of all inputs and outputs is not known to be the batch.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BatchAxisError {
    /// Axis 0 has a fixed size, does not exist, or is not known.
    Fixed {
        /// The name and type of the tensor.
        tensor: String,
    },
    /// Axis 0 of two tensors has different symbols, or unknown ones, so their sizes may differ.
    Symbols {
        /// The name and type of the first tensor.
        tensor: String,
        /// The name and type of the other one.
        other: String,
    },
    /// Another axis has the symbol of the batch, so that the rows of a batch depend on each other.
    Repeated {
        /// The name and type of the tensor.
        tensor: String,
    },
    /// The graph has no inputs.
    NoInputs,
}

impl Graph {
    /// Checks that axis 0 of all inputs and outputs is a batch of independent rows: it has the same
    /// symbol everywhere, and no other axis has this symbol.
    ///
    /// # Errors
    ///
    /// Returns a [`BatchAxisError`] for the first tensor that may not have it.
    pub fn batch_axis(&self) -> Result<(), BatchAxisError> {
        self.symbolic_axis()?;
        let first = &self.inputs[0];
        let symbol = first.axis_0();
        for value in self.values() {
            if value.axis_0() != symbol || symbol == Some("") {
                let other = if value == first {
                    &self.outputs[0]
                } else {
                    value
                };
                return Err(BatchAxisError::Symbols {
                    tensor: first.to_string(),
                    other: other.to_string(),
                });
            }
            let mut others = value.dims().unwrap_or_default().iter().skip(1);
            if others.any(|other| other.symbol() == symbol) {
                let tensor = value.to_string();
                return Err(BatchAxisError::Repeated { tensor });
            }
        }
        Ok(())
    }

    /// Checks that axis 0 of all inputs and outputs can have any size.
    ///
    /// # Errors
    ///
    /// Returns a [`BatchAxisError`] for the first other tensor.
    pub fn symbolic_axis(&self) -> Result<(), BatchAxisError> {
        if self.inputs.is_empty() {
            return Err(BatchAxisError::NoInputs);
        }
        match self.values().find(|value| value.axis_0().is_none()) {
            None => Ok(()),
            Some(value) => Err(BatchAxisError::Fixed {
                tensor: value.to_string(),
            }),
        }
    }

    fn values(&self) -> impl Iterator<Item = &ValueInfo> {
        self.inputs.iter().chain(&self.outputs)
    }
}

impl ValueInfo {
    fn dims(&self) -> Option<&[Dimension]> {
        match &self.ty {
            ValueType::Tensor { dims, .. } => dims.as_deref(),
            ValueType::Other(_) => None,
        }
    }

    /// Returns the symbol of axis 0.
    fn axis_0(&self) -> Option<&str> {
        self.dims()?.first()?.symbol()
    }
}

impl Dimension {
    fn symbol(&self) -> Option<&str> {
        match self {
            Self::Symbol(symbol) => Some(symbol),
            Self::Fixed(_) => None,
        }
    }
}

impl fmt::Display for BatchAxisError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed { tensor } => write!(f, "axis 0 of `{tensor}` has no symbol"),
            Self::Symbols { tensor, other } => write!(
                f,
                "axis 0 of `{tensor}` and of `{other}` may have different sizes"
            ),
            Self::Repeated { tensor } => write!(
                f,
                "the rows of `{tensor}` depend on each other: another axis has the size of axis 0"
            ),
            Self::NoInputs => f.write_str("the graph has no inputs"),
        }
    }
}

impl Error for BatchAxisError {}
