use proc_macro2::Ident;
use syn::Type;

use super::args::Settings;
use super::state::Load;
use crate::array::ArrayType;
use crate::path::CratePath;
use crate::tensor::{Dims, TensorName};

/// A function and its attributes after every check: only this can be expanded.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) settings: Settings,
    pub(super) function: Callee,
    pub(super) call: CallMode,
    pub(super) inputs: Vec<Input>,
    /// In the order of the function's parameters.
    pub(super) arguments: Vec<Argument>,
    pub(super) returned: Type,
    pub(super) overrides: Vec<OutputOverride>,
}

/// The types of a function with mistakes in which none was found: the compiler reports theirs beside the others.
#[derive(Debug)]
pub(super) struct Types {
    pub(super) root: CratePath,
    pub(super) call: CallMode,
    pub(super) inputs: Vec<Input>,
    pub(super) returned: Option<Type>,
}

/// What is called for each batch or request.
#[derive(Debug)]
pub(super) struct Callee {
    pub(super) name: Ident,
    pub(super) is_async: bool,
    /// For a method, what it is called on.
    pub(super) state: Option<LoadedState>,
}

/// The state of a stateful model and the function that makes it.
#[derive(Debug)]
pub(super) struct LoadedState {
    pub(super) ty: Type,
    pub(super) load: Load,
}

/// What one call of the function sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallMode {
    Batch,
    Request,
    Raw,
}

/// An input of the model.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) name: TensorName,
    pub(super) shape: Option<Dims>,
    pub(super) optional: bool,
    pub(super) source: Source,
    pub(super) first_value: Option<FirstValue>,
}

/// Where an input is declared.
#[derive(Debug)]
pub(super) enum Source {
    /// By a parameter that is an array; the rank counts the batch axis.
    Array {
        array: Box<ArrayType>,
        rank: Option<usize>,
    },
    /// By a parameter that is one value.
    Scalar { element: Box<Type> },
    /// By `#[input]` on a function that takes `&[Request]`.
    Declared { datatype: Ident },
}

impl Source {
    /// The element type that a parameter names.
    pub(super) fn element(&self) -> Option<&Type> {
        match self {
            Self::Array { array, .. } => Some(&array.element),
            Self::Scalar { element } => Some(element),
            Self::Declared { .. } => None,
        }
    }
}

/// `#[first_value]` on a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FirstValue {
    pub(super) strict: bool,
}

/// What a parameter is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Argument {
    /// The input of that index.
    Input(usize),
    Parameters,
    Context,
    Requests,
}

/// What `#[output]` on the function says.
#[derive(Debug)]
pub(super) struct OutputOverride {
    pub(super) name: Option<TensorName>,
    pub(super) shape: Option<Dims>,
}

impl Model {
    /// Whether requests of different parameters are called apart.
    pub(super) fn by_parameters(&self) -> bool {
        self.call == CallMode::Batch && self.arguments.contains(&Argument::Parameters)
    }

    /// The inputs under `#[first_value]`.
    pub(super) fn first_values(&self) -> impl Iterator<Item = (usize, FirstValue)> {
        let inputs = self.inputs.iter().enumerate();
        inputs.filter_map(|(index, input)| Some((index, input.first_value?)))
    }
}
