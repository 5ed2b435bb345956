use crate::DataType;

/// What a model takes and returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSignature {
    /// Its name.
    pub name: String,
    /// The most rows of a request; 0 where there is no batch axis.
    pub max_batch_size: u32,
    /// Whether a request is answered any number of times.
    pub decoupled: bool,
    /// Whether each request belongs to a sequence.
    pub sequences: bool,
    /// The inputs in order.
    pub inputs: Vec<TensorSignature>,
    /// The outputs in order.
    pub outputs: Vec<TensorSignature>,
}

/// An input or output of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorSignature {
    /// Its name.
    pub name: String,
    /// Its element type.
    pub datatype: DataType,
    /// Its dimensions without the batch axis; -1 for any size.
    pub dims: Vec<i64>,
    /// Whether a request may leave it out.
    pub optional: bool,
    /// Whether all rows of a batch must have the same value, which a caller gives once.
    pub first_value: bool,
}

impl ModelSignature {
    /// A model without tensors.
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

    /// The same whose requests belong to sequences.
    #[must_use]
    pub fn sequences(mut self) -> Self {
        self.sequences = true;
        self
    }

    /// With another input.
    #[must_use]
    pub fn input(mut self, input: TensorSignature) -> Self {
        self.inputs.push(input);
        self
    }

    /// With another output.
    #[must_use]
    pub fn output(mut self, output: TensorSignature) -> Self {
        self.outputs.push(output);
        self
    }

    /// Whether tensors have a batch axis.
    pub fn batching(&self) -> bool {
        self.max_batch_size > 0
    }
}

impl TensorSignature {
    /// A tensor that is there in each request, or answer.
    pub fn new(name: &str, datatype: DataType, dims: &[i64]) -> Self {
        Self {
            name: name.to_owned(),
            datatype,
            dims: dims.to_vec(),
            optional: false,
            first_value: false,
        }
    }

    /// The same, and a request may leave it out.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// The same with one value for all rows.
    #[must_use]
    pub fn first_value(mut self) -> Self {
        self.first_value = true;
        self
    }
}
