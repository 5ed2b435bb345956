use std::sync::Arc;

use crate::tensor::DataType;

use super::labels::labels_flaw;
use super::{Example, example_flaw};

/// An input or output of a registered model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TensorSpec {
    /// The name.
    pub name: Arc<str>,
    /// The datatype.
    pub datatype: DataType,
    /// The dimensions without the batch axis, -1 for any size.
    pub dims: Vec<i64>,
    /// Whether a request may omit the input, or a response the output.
    pub optional: bool,
    /// The description; may be empty.
    pub description: Arc<str>,
    /// Sample values for one row, as source text; may be empty.
    pub example: Arc<[Arc<str>]>,
}

impl TensorSpec {
    /// A required tensor without a description.
    pub fn new(name: impl Into<Arc<str>>, datatype: DataType, dims: impl Into<Vec<i64>>) -> Self {
        Self {
            name: name.into(),
            datatype,
            dims: dims.into(),
            optional: false,
            description: Arc::from(""),
            example: Arc::default(),
        }
    }

    /// Sets whether a request may omit the input, or a response the output.
    #[must_use]
    pub fn optional(self, optional: bool) -> Self {
        Self { optional, ..self }
    }
}

/// An input or output as declared by a Rust type.
#[derive(Debug, Clone, Copy)]
pub struct TensorDeclaration {
    /// The name in requests.
    pub name: &'static str,
    /// The datatype.
    pub datatype: DataType,
    /// The rank of the Rust array including the batch axis; `None` for arrays of any rank.
    pub rank: Option<usize>,
    /// The dimensions without the batch axis, -1 for any size; `None` to derive them from the rank.
    pub shape: Option<&'static [i64]>,
    /// Whether a request may omit the input, or a response the output.
    pub optional: bool,
    /// The description; may be empty.
    pub description: &'static str,
    /// Sample values for one row; may be empty.
    pub example: Example,
    /// The labels of an output's elements, one per line; may be empty.
    pub labels: &'static str,
}

impl TensorDeclaration {
    /// Sets the description.
    #[must_use]
    pub const fn described(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    /// Sets the labels, one per line.
    #[must_use]
    pub const fn labelled(mut self, labels: &'static str) -> Self {
        self.labels = labels;
        self
    }

    /// A placeholder for no tensor.
    pub(crate) const NONE: Self = Self {
        name: "",
        datatype: DataType::Bool,
        rank: None,
        shape: None,
        optional: false,
        description: "",
        example: &[],
        labels: "",
    };

    /// The reason why a tensor of this rank is not allowed, with what to write instead.
    ///
    /// Checked at compile time by generated code, and again by the registry at start. Triton
    /// requires at least one dimension in addition to the batch axis.
    pub(crate) const fn flaw(&self, batching: bool) -> Option<&'static str> {
        let batch_axis = if batching { 1 } else { 0 };
        match (self.rank, self.shape) {
            (Some(rank), _) if rank <= batch_axis => Some(match batching {
                true => {
                    "axis 0 is the batch axis, and the array has no other: write an array of one more dimension, such as `Array2<f32>`, or `batching = false`"
                }
                false => "the array has no dimension: write `Array1<f32>`",
            }),
            (None, None) => Some(
                "the array can have any dims: write them as `#[output(shape = [-1])]`, or `#[input(shape = [-1])]`",
            ),
            _ => None,
        }
    }

    /// The same for its shape.
    pub(crate) const fn shape_flaw(&self, batching: bool) -> Option<&'static str> {
        let batch_axis = if batching { 1 } else { 0 };
        let Some(shape) = self.shape else {
            return None;
        };
        if shape.is_empty() {
            return Some("`shape` has no dimension: write `shape = [-1]`");
        }
        if let Some(rank) = self.rank
            && rank > batch_axis
            && shape.len() + batch_axis != rank
        {
            return Some(match batching {
                true => {
                    "`shape` must have one number for each dimension of the array except the batch axis"
                }
                false => "`shape` must have one number for each dimension of the array",
            });
        }
        elements_flaw(shape)
    }

    /// The same for its sample values.
    pub(crate) const fn example_flaw(&self) -> Option<&'static str> {
        example_flaw(self.datatype, self.shape, self.example)
    }

    /// The same for its labels.
    pub(crate) const fn labels_flaw(&self) -> Option<&'static str> {
        labels_flaw(self.datatype, self.shape, self.labels)
    }
}

/// The reason why these dimensions, in which -1 means any size, are not allowed.
pub(crate) const fn elements_flaw(shape: &[i64]) -> Option<&'static str> {
    let mut elements = 1_i64;
    let mut index = 0;
    while index < shape.len() {
        if shape[index] > 0 {
            elements = match elements.checked_mul(shape[index]) {
                Some(elements) => elements,
                None => return Some("`shape` has more elements than a tensor can hold"),
            };
        }
        index += 1;
    }
    None
}

/// The contents of an `#[output]` attribute on a function.
#[derive(Debug, Clone, Copy)]
pub struct OutputOverride {
    /// The name, if it is set.
    pub name: Option<&'static str>,
    /// The dimensions without the batch axis, if they are set.
    pub shape: Option<&'static [i64]>,
    /// The labels of its elements, one per line; may be empty.
    pub labels: &'static str,
}
