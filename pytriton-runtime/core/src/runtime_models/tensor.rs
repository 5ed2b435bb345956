use std::fmt::Display;
use std::sync::Arc;

use crate::model::TensorSpec;
use crate::tensor::{DataType, Element, ElementCheck};

/// An input of a [`Model`](super::Model).
///
/// # Examples
///
/// ```
/// use pytriton_core::runtime_models::Input;
///
/// let image = Input::new::<f32>("image", [224, 224, 3]);
/// let threshold = Input::new::<f32>("threshold", [1]).first_value().optional();
/// ```
#[derive(Debug, Clone)]
pub struct Input {
    pub(super) spec: TensorSpec,
    /// Whether a call receives only the first row, and whether differing rows are an error then.
    pub(super) first_value: Option<bool>,
    /// Whether the rows of a batch may have different lengths.
    pub(super) ragged: bool,
    /// Whether the elements must be valid UTF-8.
    pub(super) utf8: bool,
    /// Checks the elements, if only decoding shows whether they are valid.
    pub(super) check: Option<ElementCheck>,
}

impl Input {
    /// Creates an input. `dims` exclude the batch axis, and -1 means any size.
    pub fn new<T: Element>(name: impl AsRef<str>, dims: impl Into<Vec<i64>>) -> Self {
        Self {
            utf8: T::UTF8,
            check: T::CHECK,
            ..Self::of(T::DATATYPE, name, dims)
        }
    }

    /// Like [`new`](Self::new), with an element type that is known only at run time.
    pub fn of(datatype: DataType, name: impl AsRef<str>, dims: impl Into<Vec<i64>>) -> Self {
        Self {
            spec: spec(datatype, name.as_ref().into(), dims.into()),
            first_value: None,
            ragged: false,
            utf8: false,
            check: None,
        }
    }

    /// Makes the input optional in requests.
    pub fn optional(mut self) -> Self {
        self.spec.optional = true;
        self
    }

    /// Sets a description for users.
    pub fn description(mut self, description: impl AsRef<str>) -> Self {
        self.spec.description = description.as_ref().into();
        self
    }

    /// Sets sample values for one row, with which the docs page starts.
    pub fn example<T: Display>(mut self, elements: impl IntoIterator<Item = T>) -> Self {
        let elements = elements.into_iter();
        let elements = elements.map(|element| element.to_string().into());
        self.spec.example = elements.collect();
        self
    }

    /// Batches requests in which the input has different dims. The function of a batch reads it with
    /// [`FunctionCall::ragged`](super::FunctionCall::ragged), and the dims are `[-1]`.
    pub fn ragged(self) -> Self {
        Self {
            ragged: true,
            ..self
        }
    }

    /// Passes one value for the whole batch to the function. Differing rows are an error.
    pub fn first_value(self) -> Self {
        Self {
            first_value: Some(true),
            ..self
        }
    }

    /// Passes the value of the first row to the function, regardless of other rows.
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
    /// Creates an output. `dims` exclude the batch axis, and -1 means any size.
    pub fn new<T: Element>(name: impl AsRef<str>, dims: impl Into<Vec<i64>>) -> Self {
        Self::of(T::DATATYPE, name, dims)
    }

    /// Like [`new`](Self::new), with an element type that is known only at run time.
    pub fn of(datatype: DataType, name: impl AsRef<str>, dims: impl Into<Vec<i64>>) -> Self {
        Self {
            spec: spec(datatype, name.as_ref().into(), dims.into()),
            labels: Arc::default(),
        }
    }

    /// Sets a description for users.
    pub fn description(mut self, description: impl AsRef<str>) -> Self {
        self.spec.description = description.as_ref().into();
        self
    }

    /// Allows responses to omit the output.
    pub fn optional(mut self) -> Self {
        self.spec.optional = true;
        self
    }

    /// Sets the labels of the elements, one per line. Clients that request classes receive them.
    pub fn labels(self, labels: impl AsRef<str>) -> Self {
        Self {
            labels: labels.as_ref().into(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_be_texts_of_any_type() {
        let name = "x".to_owned();
        let shared: Arc<str> = "x".into();
        for input in [
            Input::new::<f32>("x", [1]),
            Input::new::<f32>(&name, [1]),
            Input::new::<f32>(shared, [1]),
            Input::new::<f32>(name, [1]),
        ] {
            assert_eq!(&*input.spec.name, "x");
        }
    }
}
