use std::fmt;

/// The device of a model's instance.
///
/// The function opens the device itself: see [`Context::device`](crate::call::Context::device).
///
/// Source: `Kind` and `gpus` of `ModelInstanceGroup` in Triton's `model_config.proto`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Device {
    /// The CPU.
    Cpu,
    /// The GPU with this number, from 0.
    Gpu(u32),
}

/// The form of `#[pytriton::model(instances = […])]`.
impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => f.write_str("cpu"),
            Self::Gpu(number) => write!(f, "gpu({number})"),
        }
    }
}
