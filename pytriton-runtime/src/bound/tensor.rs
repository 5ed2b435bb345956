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
    /// Whether a call receives the first row only, and whether different rows are an error.
    pub(super) first_value: Option<bool>,
}

impl Input {
    /// An input with this element type and these dimensions: without the batch axis, -1 for any
    /// size.
    pub fn new<T: Element>(name: impl Into<Arc<str>>, dims: impl Into<Vec<i64>>) -> Self {
        Self::of(T::DATATYPE, name, dims)
    }

    /// The same for a datatype that is known at run time only.
    pub fn of(datatype: DataType, name: impl Into<Arc<str>>, dims: impl Into<Vec<i64>>) -> Self {
        Self {
            spec: spec(datatype, name.into(), dims.into()),
            first_value: None,
        }
    }

    /// Makes the input optional.
    pub fn optional(mut self) -> Self {
        self.spec.optional = true;
        self
    }

    /// Sets the description.
    pub fn description(mut self, description: impl Into<Arc<str>>) -> Self {
        self.spec.description = description.into();
        self
    }

    /// Sets sample values for one row, for the docs page.
    pub fn example<T: Display>(mut self, elements: impl IntoIterator<Item = T>) -> Self {
        let elements = elements.into_iter();
        let elements = elements.map(|element| element.to_string().into());
        self.spec.example = elements.collect();
        self
    }

    /// The function receives one value for the whole batch; different rows are an error.
    pub fn first_value(self) -> Self {
        Self {
            first_value: Some(true),
            ..self
        }
    }

    /// The function receives the value of the first row, whatever the others are.
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
    /// An output with this element type and these dimensions: without the batch axis, -1 for any
    /// size.
    pub fn new<T: Element>(name: impl Into<Arc<str>>, dims: impl Into<Vec<i64>>) -> Self {
        Self::of(T::DATATYPE, name, dims)
    }

    /// The same for a datatype that is known at run time only.
    pub fn of(datatype: DataType, name: impl Into<Arc<str>>, dims: impl Into<Vec<i64>>) -> Self {
        Self {
            spec: spec(datatype, name.into(), dims.into()),
            labels: Arc::default(),
        }
    }

    /// Sets the description.
    pub fn description(mut self, description: impl Into<Arc<str>>) -> Self {
        self.spec.description = description.into();
        self
    }

    /// Sets the labels of the elements, one per line, for clients that request classification.
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
