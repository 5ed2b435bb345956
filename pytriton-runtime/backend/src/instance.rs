/// The description of an instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// The model's name.
    pub model: String,
    /// The model's version.
    pub version: u64,
    /// Distinguishes models that are loaded at the same time.
    pub loaded_model: usize,
    /// The instance's name.
    pub name: String,
    /// The GPU to which Triton has assigned it; `None` for other devices.
    pub gpu: Option<u32>,
}
