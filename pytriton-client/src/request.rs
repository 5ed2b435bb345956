use std::fmt;

use pytriton_protocol::tensor::Tensor;

use crate::InferOptions;
use crate::shared_memory::RegionGuard;

/// The name and version of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Model {
    pub(crate) name: String,
    /// Empty for the latest version.
    pub(crate) version: String,
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.version.as_str() {
            "" => write!(f, "{}/<latest>", self.name),
            version => write!(f, "{}/{version}", self.name),
        }
    }
}

/// An inference request.
#[derive(Debug)]
pub(crate) struct InferRequest {
    pub(crate) model: Model,
    pub(crate) id: String,
    pub(crate) inputs: Vec<(String, Tensor)>,
    pub(crate) options: InferOptions,
    /// The tensors in shared memory.
    pub(crate) shared: Option<RegionGuard>,
    /// Whether to use JSON without binary tensors over HTTP.
    pub(crate) as_json: bool,
}

/// The arguments of a model load: its configuration as JSON, and the contents of its files.
#[derive(Debug, Clone, Default)]
pub(crate) struct Load {
    pub(crate) config: Option<String>,
    pub(crate) files: Vec<(String, Vec<u8>)>,
}
