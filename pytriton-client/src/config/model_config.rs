use pytriton_protocol::tensor::DataType;

/// The parts of a served model's configuration that clients need.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelConfig {
    /// The name.
    pub name: String,
    /// The maximum number of rows of a request; 0 without a batch axis.
    pub max_batch_size: u32,
    /// Whether the model streams any number of responses.
    pub decoupled: bool,
    /// The inputs, in order.
    pub inputs: Vec<TensorConfig>,
    /// The outputs, in order.
    pub outputs: Vec<TensorConfig>,
    /// Whether this was derived from the metadata of a server without model configurations, such as
    /// MLServer.
    ///
    /// The dimensions then include the batch axis, if any, and streaming is unknown. Batches are
    /// sent unchanged. A sample gets a batch axis if it has one dimension less than the metadata
    /// and the first dimension is of any size.
    pub from_metadata: bool,
    /// Whether the server accepts only JSON tensors over HTTP.
    pub(crate) as_json: bool,
}

/// An input or output of a served model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TensorConfig {
    /// The name.
    pub name: String,
    /// The datatype.
    pub datatype: DataType,
    /// The dimensions without the batch axis; -1 for any size.
    pub dims: Vec<i64>,
    /// Whether a request may omit the input.
    pub optional: bool,
}

impl ModelConfig {
    /// Returns whether tensors have a batch axis, as far as the server reports it.
    pub fn is_batching_supported(&self) -> bool {
        self.max_batch_size > 0
    }
}

/// Returns the datatype of a name in a configuration, such as `TYPE_FP32`.
pub(super) fn datatype(name: &str) -> Option<DataType> {
    DataType::ALL
        .into_iter()
        .find(|datatype| datatype.config_name() == name)
}
