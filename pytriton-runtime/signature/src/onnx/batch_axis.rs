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
    /// The symbol of axis 0 is not a name of a batch.
    Name {
        /// The name and type of the first tensor.
        tensor: String,
        /// The symbol.
        symbol: String,
    },
    /// The graph has no inputs.
    NoInputs,
}

impl Graph {
    /// Checks that axis 0 of all inputs and outputs is named as a batch: it has the same symbol
    /// everywhere, which contains `batch` or is `n` or `b`, and no other axis has this symbol. Case
    /// is ignored.
    ///
    /// The name is trusted: whether row `n` of each output depends only on row `n` of the inputs is
    /// not checked.
    ///
    /// # Errors
    ///
    /// Returns a [`BatchAxisError`] for the first tensor that may not have it.
    pub fn batch_axis(&self) -> Result<(), BatchAxisError> {
        self.symbolic_axis()?;
        let first = &self.inputs[0];
        let symbol = first.axis_0().unwrap_or_default();
        for value in self.values() {
            if value.axis_0() != Some(symbol) || symbol.is_empty() {
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
            if others.any(|other| other.symbol() == Some(symbol)) {
                let tensor = value.to_string();
                return Err(BatchAxisError::Repeated { tensor });
            }
        }
        let name = symbol.to_lowercase();
        match name.contains("batch") || name == "n" || name == "b" {
            true => Ok(()),
            false => Err(BatchAxisError::Name {
                tensor: first.to_string(),
                symbol: symbol.to_owned(),
            }),
        }
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
            Self::Fixed { tensor } => write!(f, "axis 0 of `{tensor}` has no name"),
            Self::Symbols { tensor, other } => write!(
                f,
                "axis 0 of `{tensor}` and of `{other}` may have different sizes"
            ),
            Self::Repeated { tensor } => write!(
                f,
                "the rows of `{tensor}` depend on each other: another axis has the size of axis 0"
            ),
            Self::Name { tensor, symbol } => write!(
                f,
                "axis 0 of `{tensor}` is named `{symbol}`: expected a name such as `batch`"
            ),
            Self::NoInputs => f.write_str("the graph has no inputs"),
        }
    }
}

impl Error for BatchAxisError {}
