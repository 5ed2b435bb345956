use super::{Declared, Example, InputType, TensorDeclaration};

/// A parameter of a function.
#[derive(Debug, Clone, Copy)]
pub struct Argument {
    /// The role that its type declares.
    pub declared: Declared,
    /// The name of the input, if it has one.
    pub name: Option<&'static str>,
    /// The dimensions of the input without the batch axis.
    pub shape: Option<&'static [i64]>,
    /// `#[first_value]`, and whether it is strict.
    pub first_value: Option<bool>,
    /// The option `squeeze`.
    pub squeeze: Option<bool>,
    /// Sample values for one row.
    pub example: Example,
    /// Whether `#[fill_optionals]` sets a value for it.
    pub filled: bool,
    /// The description of the input.
    pub description: &'static str,
}

impl Argument {
    /// A parameter with this type and name.
    pub const fn new(declared: Declared, name: Option<&'static str>) -> Self {
        Self {
            declared,
            name,
            shape: None,
            example: &[],
            first_value: None,
            squeeze: None,
            filled: false,
            description: "",
        }
    }

    /// Sets the dimensions without the batch axis.
    #[must_use]
    pub const fn shape(mut self, shape: &'static [i64]) -> Self {
        self.shape = Some(shape);
        self
    }

    /// Sets sample values for one row.
    #[must_use]
    pub const fn example(mut self, example: Example) -> Self {
        self.example = example;
        self
    }

    /// Adds `#[first_value]`.
    #[must_use]
    pub const fn first_value(mut self, strict: bool) -> Self {
        self.first_value = Some(strict);
        self
    }

    /// Sets the option `squeeze`.
    #[must_use]
    pub const fn squeeze(mut self, squeeze: bool) -> Self {
        self.squeeze = Some(squeeze);
        self
    }

    /// Marks it as having a fill value.
    #[must_use]
    pub const fn filled(mut self) -> Self {
        self.filled = true;
        self
    }

    /// Sets the description.
    #[must_use]
    pub const fn described(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    /// The input properties of its type.
    pub(crate) const fn input(&self) -> Option<InputType> {
        match self.declared {
            Declared::Input(input) | Declared::Value(input) => Some(input),
            _ => None,
        }
    }

    pub(crate) const fn input_name(&self) -> Option<&'static str> {
        match self.input() {
            Some(_) => self.name,
            None => None,
        }
    }

    /// The input; a placeholder if it is not one.
    pub(crate) const fn declaration(&self) -> TensorDeclaration {
        let (input, shape) = match self.declared {
            Declared::Input(input) => (input, self.shape),
            Declared::Value(input) => match self.shape {
                None => (input, Some(&[1_i64] as &[i64])),
                shape => (input, shape),
            },
            _ => return TensorDeclaration::NONE,
        };
        let rank = match (input.rank, self.first_value) {
            // The declared rank lacks the batch axis.
            (Some(rank), Some(_)) => Some(rank + 1),
            (rank, _) => rank,
        };
        TensorDeclaration {
            name: match self.name {
                Some(name) => name,
                None => "",
            },
            datatype: input.datatype,
            rank,
            shape,
            optional: input.optional || self.filled,
            description: self.description,
            example: match self.example {
                [] => input.example,
                example => example,
            },
            labels: "",
        }
    }
}
