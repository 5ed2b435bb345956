use bytemuck::NoUninit;
use pytriton_protocol::half::{bf16, f16};
use pytriton_protocol::tensor;

/// An element type of a network's arrays: numbers and `bool`.
pub trait Element: tensor::Element + Copy + NoUninit {}

macro_rules! elements {
    ($($element:ty)*) => { $(impl Element for $element {})* };
}

elements!(bool u8 u16 u32 u64 i8 i16 i32 i64 f16 bf16 f32 f64);
