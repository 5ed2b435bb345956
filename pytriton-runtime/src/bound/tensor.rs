use std::fmt::Display;
use std::sync::Arc;

use crate::model::TensorSpec;
use crate::tensor::{DataType, Element};

/// An input of a [`Model`](super::Model).
///
/// # Examples
///
/// ```
/// use pytriton_runtime::bound::Input;
///
/// let image = Input::new::<f32>("image", [224, 224, 3]);
/// let threshold = Input::new::<f32>("threshold", [1]).first_value().optional();
/// ```
#[derive(Debug, Clone)]
pub struct Input {
    pub(super) spec: TensorSpec,
    /// Whether a call sees the first row alone, and whether rows that differ are an error then.
    pub(super) first_value: Option<bool>,
    /// Whether its elements must be valid UTF-8.
    pub(super) utf8: bool,
}

impl Input {
    /// An input of these elements and dims: without the batch axis, -1 for any size.
    pub fn new<T: Element>(name: impl Into<Arc<str>>, dims: impl Into<Vec<i64>>) -> Self {
        Self {
            utf8: T::UTF8,
            ..Self::of(T::DATATYPE, name, dims)
        }
    }

    /// The same where the element type is known at run time only.
    pub fn of(datatype: DataType, name: impl Into<Arc<str>>, dims: impl Into<Vec<i64>>) -> Self {
        Self {
            spec: spec(datatype, name.into(), dims.into()),
            first_value: None,
            utf8: false,
        }
    }

    /// A request may leave it out.
    pub fn optional(mut self) -> Self {
        self.spec.optional = true;
        self
    }

    /// What it is, for people.
    pub fn description(mut self, description: impl Into<Arc<str>>) -> Self {
        self.spec.description = description.into();
        self
    }

    /// The elements of a row that it can be asked with: the page of the models begins with them.
    pub fn example<T: Display>(mut self, elements: impl IntoIterator<Item = T>) -> Self {
        let elements = elements.into_iter();
        let elements = elements.map(|element| element.to_string().into());
        self.spec.example = elements.collect();
        self
    }

    /// The function sees one value for the whole batch; rows that differ are an error.
    pub fn first_value(self) -> Self {
        Self {
            first_value: Some(true),
            ..self
        }
    }

    /// The function sees the value of the first row, whatever the others are.
    pub fn first_value_of_any(self) -> Self {
        Self {
            first_value: Some(false),
            ..self
        }
    }
}

/// An output of a [`Model`](super::Model).
#[derive(Debug, Clone)]
pub struct Output {
    pub(super) spec: TensorSpec,
    pub(super) labels: Arc<str>,
}

impl Output {
    /// An output of these elements and dims: without the batch axis, -1 for any size.
    pub fn new<T: Element>(name: impl Into<Arc<str>>, dims: impl Into<Vec<i64>>) -> Self {
        Self::of(T::DATATYPE, name, dims)
    }

    /// The same where the element type is known at run time only.
    pub fn of(datatype: DataType, name: impl Into<Arc<str>>, dims: impl Into<Vec<i64>>) -> Self {
        Self {
            spec: spec(datatype, name.into(), dims.into()),
            labels: Arc::default(),
        }
    }

    /// What it is, for people.
    pub fn description(mut self, description: impl Into<Arc<str>>) -> Self {
        self.spec.description = description.into();
        self
    }

    /// What its elements are called, one a line: clients that ask for classes are told.
    pub fn labels(self, labels: impl Into<Arc<str>>) -> Self {
        Self {
            labels: labels.into(),
            ..self
        }
    }
}

fn spec(datatype: DataType, name: Arc<str>, dims: Vec<i64>) -> TensorSpec {
    TensorSpec {
        name,
        datatype,
        dims,
        optional: false,
        description: Arc::default(),
        example: Arc::default(),
    }
}
