use crate::DataType;

/// The signature of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSignature {
    /// The name.
    pub name: String,
    /// The maximum number of rows of a request; 0 without a batch axis.
    pub max_batch_size: u32,
    /// Whether the model streams any number of responses.
    pub decoupled: bool,
    /// Whether each request belongs to a sequence.
    pub sequences: bool,
    /// The inputs, in order.
    pub inputs: Vec<TensorSignature>,
    /// The outputs, in order.
    pub outputs: Vec<TensorSignature>,
}

/// An input or output of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorSignature {
    /// The name.
    pub name: String,
    /// The datatype.
    pub datatype: DataType,
    /// The dimensions without the batch axis; -1 for any size.
    pub dims: Vec<i64>,
    /// Whether a request may omit the input, or a response the output.
    pub optional: bool,
    /// Whether all rows of a batch must have the same value, which a caller passes once.
    pub first_value: bool,
}

impl ModelSignature {
    /// Creates a model without tensors.
    pub fn new(name: &str, max_batch_size: u32, decoupled: bool) -> Self {
        Self {
            name: name.to_owned(),
            max_batch_size,
            decoupled,
            sequences: false,
            inputs: Vec::new(),
            outputs: Vec::new(),
        }
    }

    /// Marks requests as belonging to sequences.
    #[must_use]
    pub fn sequences(mut self) -> Self {
        self.sequences = true;
        self
    }

    /// Adds an input.
    #[must_use]
    pub fn input(mut self, input: TensorSignature) -> Self {
        self.inputs.push(input);
        self
    }

    /// Adds an output.
    #[must_use]
    pub fn output(mut self, output: TensorSignature) -> Self {
        self.outputs.push(output);
        self
    }

    /// Returns whether tensors have a batch axis.
    pub fn batching(&self) -> bool {
        self.max_batch_size > 0
    }
}

impl TensorSignature {
    /// Creates a required tensor.
    pub fn new(name: &str, datatype: DataType, dims: &[i64]) -> Self {
        Self {
            name: name.to_owned(),
            datatype,
            dims: dims.to_vec(),
            optional: false,
            first_value: false,
        }
    }

    /// Makes the tensor optional: requests may omit the input, responses the output.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// Marks the input as one value for all rows.
    #[must_use]
    pub fn first_value(mut self) -> Self {
        self.first_value = true;
        self
    }
}
