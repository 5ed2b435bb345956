use std::fmt;

use super::message::{Message, Value};
use super::{ElementType, OnnxError};

/// An input or output of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueInfo {
    /// The name.
    pub name: String,
    /// The type.
    pub ty: ValueType,
}

/// The type of an input or output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueType {
    /// A tensor.
    Tensor {
        /// The element type.
        element: ElementType,
        /// The dimensions; `None` if even their number is unknown.
        dims: Option<Vec<Dimension>>,
    },
    /// Any other value, which cannot be an input or output of a model: what it is, such as
    /// `sequence`.
    Other(&'static str),
}

/// A dimension of a tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dimension {
    /// Always this size.
    Fixed(i64),
    /// Any size. The symbol is ONNX's `dim_param`: dimensions with the same symbol have the same
    /// size. It is empty if it is unknown.
    Symbol(String),
}

impl ValueInfo {
    pub(super) fn read(message: Message<'_>) -> Result<Self, OnnxError> {
        let mut name = "";
        let mut ty = ValueType::Other("value without a type");
        for field in message {
            match field? {
                (1, Value::Bytes(text)) => name = text.text()?,
                (2, Value::Bytes(message)) => ty = ValueType::read(message)?,
                _ => {}
            }
        }
        Ok(Self {
            name: name.to_owned(),
            ty,
        })
    }
}

impl ValueType {
    fn read(message: Message<'_>) -> Result<Self, OnnxError> {
        let mut ty = Self::Other("value without a type");
        for field in message {
            ty = match field? {
                (1, Value::Bytes(message)) => Self::read_tensor(message)?,
                (4, _) => Self::Other("sequence"),
                (5, _) => Self::Other("map"),
                (7, _) => Self::Other("opaque value"),
                (8, _) => Self::Other("sparse tensor"),
                (9, _) => Self::Other("optional value"),
                _ => ty,
            }
        }
        Ok(ty)
    }

    fn read_tensor(message: Message<'_>) -> Result<Self, OnnxError> {
        let mut element = ElementType::new(0);
        let mut dims = None;
        for field in message {
            match field? {
                (1, Value::Number(number)) => element = ElementType::new(number),
                (2, Value::Bytes(shape)) => dims = Some(read_dims(shape)?),
                _ => {}
            }
        }
        Ok(Self::Tensor { element, dims })
    }
}

fn read_dims(shape: Message<'_>) -> Result<Vec<Dimension>, OnnxError> {
    let mut dims = Vec::new();
    for field in shape {
        if let (1, Value::Bytes(dimension)) = field? {
            dims.push(Dimension::read(dimension)?);
        }
    }
    Ok(dims)
}

impl Dimension {
    fn read(message: Message<'_>) -> Result<Self, OnnxError> {
        let mut dimension = Self::Symbol(String::new());
        for field in message {
            dimension = match field? {
                // Some exporters write -1 for a dimension of any size.
                (1, Value::Number(size)) => match size.cast_signed() {
                    size @ 0.. => Self::Fixed(size),
                    _ => Self::Symbol(String::new()),
                },
                // Others write `?`.
                (2, Value::Bytes(symbol)) => match symbol.text()? {
                    "?" => Self::Symbol(String::new()),
                    symbol => Self::Symbol(symbol.to_owned()),
                },
                _ => dimension,
            }
        }
        Ok(dimension)
    }
}

/// The name and the type, such as `x: FLOAT [batch, 3]`.
impl fmt::Display for ValueInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.ty)
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tensor {
                element,
                dims: None,
            } => write!(f, "{element} of any rank"),
            Self::Tensor {
                element,
                dims: Some(dims),
            } => {
                let dims: Vec<String> = dims.iter().map(ToString::to_string).collect();
                write!(f, "{element} [{}]", dims.join(", "))
            }
            Self::Other(what) => f.write_str(what),
        }
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(size) => write!(f, "{size}"),
            Self::Symbol(symbol) if symbol.is_empty() => f.write_str("?"),
            Self::Symbol(symbol) => f.write_str(symbol),
        }
    }
}
