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
    /// Whether tensors have a batch axis.
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
