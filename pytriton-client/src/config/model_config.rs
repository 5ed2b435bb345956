use pytriton_protocol::tensor::DataType;

/// The configuration of a served model, as far as clients need it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelConfig {
    /// Its name.
    pub name: String,
    /// The most rows of a request; 0 where there is no batch axis.
    pub max_batch_size: u32,
    /// Whether a request is answered any number of times.
    pub decoupled: bool,
    /// The inputs in order.
    pub inputs: Vec<TensorConfig>,
    /// The outputs in order.
    pub outputs: Vec<TensorConfig>,
    /// Whether this is what the metadata of a server say that has no configurations, as MLServer. Dimensions are those of whole tensors
    /// then, and nobody knows whether there is a batch axis or how often a request is answered: batches are sent as they are given, and a
    /// sample gets an axis where it has a dimension less than the metadata say and the first is of any size.
    pub from_metadata: bool,
    /// Whether the server reads tensors over HTTP as JSON alone.
    pub(crate) as_json: bool,
}

/// An input or output of a served model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TensorConfig {
    /// Its name.
    pub name: String,
    /// Its element type.
    pub datatype: DataType,
    /// Its dimensions without the batch axis; -1 for any size.
    pub dims: Vec<i64>,
    /// Whether a request may leave it out.
    pub optional: bool,
}

impl ModelConfig {
    /// Whether tensors have a batch axis, as far as the server says.
    pub fn is_batching_supported(&self) -> bool {
        self.max_batch_size > 0
    }
}

/// The element type of a name in a configuration, such as `TYPE_FP32`.
pub(super) fn datatype(name: &str) -> Option<DataType> {
    DataType::ALL
        .into_iter()
        .find(|datatype| datatype.config_name() == name)
}
