use std::sync::Arc;

use crate::tensor::DataType;

use super::{Example, example_flaw};

/// An input or output of a registered model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorSpec {
    /// The tensor's name.
    pub name: Arc<str>,
    /// The element type.
    pub datatype: DataType,
    /// The dims without the batch axis, -1 for any size.
    pub dims: Vec<i64>,
    /// Whether a request may leave the tensor out.
    pub optional: bool,
    /// What the tensor is, for people; empty where nothing is said.
    pub description: Arc<str>,
    /// The elements of a row that it can be asked with, as they are written; empty where nothing is said.
    pub example: Arc<[Arc<str>]>,
}

/// An input or output as a Rust type declares it.
#[derive(Debug, Clone, Copy)]
pub struct TensorDeclaration {
    /// The tensor's name in requests.
    pub name: &'static str,
    /// The element type.
    pub datatype: DataType,
    /// The number of dimensions of the Rust array with the batch axis; `None` for arrays of any rank.
    pub rank: Option<usize>,
    /// The dims without the batch axis, -1 for any size; `None` leaves them to the rank.
    pub shape: Option<&'static [i64]>,
    /// Whether a request may leave the tensor out.
    pub optional: bool,
    /// What the tensor is, for people; empty where nothing is said.
    pub description: &'static str,
    /// The elements of a row that it can be asked with; empty where nothing is said.
    pub example: Example,
    /// What an output's elements are called, one a line; empty where nothing is said.
    pub labels: &'static str,
}

impl TensorDeclaration {
    /// With what it is, for people.
    #[must_use]
    pub const fn described(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    /// With what its elements are called, one a line.
    #[must_use]
    pub const fn labelled(mut self, labels: &'static str) -> Self {
        self.labels = labels;
        self
    }

    /// What is no tensor.
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

    /// What keeps a tensor of this rank out of a model, with what to write instead.
    ///
    /// Generated code asks at compile time, the registry asks again at start. Triton wants at least one dimension
    /// beside the batch axis.
    pub(crate) const fn flaw(&self, batching: bool) -> Option<&'static str> {
        let batch_axis = if batching { 1 } else { 0 };
        match (self.rank, self.shape) {
            (Some(rank), _) if rank <= batch_axis => Some(match batching {
                true => {
                    "axis 0 is the batch, and the array has no other: write an array of one more dimension, such as `Array2<f32>`, or `batching = false`"
                }
                false => "the array has no dimension: write `Array1<f32>`",
            }),
            (None, None) => Some(
                "the array can have any dims: write them as `#[output(shape = [-1])]`, or `#[input(shape = [-1])]`",
            ),
            _ => None,
        }
    }

    /// The same of its shape.
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
                    "`shape` must have one number for each dimension of the array but the batch axis, which does not count"
                }
                false => "`shape` must have one number for each dimension of the array",
            });
        }
        elements_flaw(shape)
    }

    /// The same of its example.
    pub(crate) const fn example_flaw(&self) -> Option<&'static str> {
        example_flaw(self.datatype, self.shape, self.example)
    }
}

/// What keeps a tensor from having these dims, of which -1 stands for any size.
pub(crate) const fn elements_flaw(shape: &[i64]) -> Option<&'static str> {
    let mut elements = 1_i64;
    let mut index = 0;
    while index < shape.len() {
        if shape[index] > 0 {
            elements = match elements.checked_mul(shape[index]) {
                Some(elements) => elements,
                None => return Some("no tensor has as many elements as `shape` says"),
            };
        }
        index += 1;
    }
    None
}

/// What `#[output]` on a function says about one output.
#[derive(Debug, Clone, Copy)]
pub struct OutputOverride {
    /// Another name.
    pub name: Option<&'static str>,
    /// The dims without the batch axis.
    pub shape: Option<&'static [i64]>,
    /// What its elements are called, one a line; empty where nothing is said.
    pub labels: &'static str,
}
