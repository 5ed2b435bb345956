use std::fmt;

/// Where an instance of a model is to compute.
///
/// It is the function that opens the device: [`Context::device`](crate::call::Context::device) says which.
///
/// Source: `Kind` and `gpus` of `ModelInstanceGroup` in Triton's `model_config.proto`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Device {
    /// The processor.
    Cpu,
    /// The GPU of that number, from 0.
    Gpu(u32),
}

/// As `#[pytriton::model(instances = […])]` has it.
impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => f.write_str("cpu"),
            Self::Gpu(number) => write!(f, "gpu({number})"),
        }
    }
}
