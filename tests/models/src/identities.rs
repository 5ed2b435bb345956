//! Models that return every element type unchanged.

use pytriton::prelude::*;

macro_rules! identity {
    ($name:literal, $function:ident, $element:ty) => {
        #[pytriton::model(name = $name, max_batch_size = 16)]
        #[batch]
        fn $function(#[input(name = "INPUT_1")] input: ArrayView2<$element>) -> Array2<$element> {
            input.to_owned()
        }
    };
}

identity!("I_BOOL", identity_bool, bool);
identity!("I_UINT8", identity_uint8, u8);
identity!("I_UINT16", identity_uint16, u16);
identity!("I_UINT32", identity_uint32, u32);
identity!("I_UINT64", identity_uint64, u64);
identity!("I_INT8", identity_int8, i8);
identity!("I_INT16", identity_int16, i16);
identity!("I_INT32", identity_int32, i32);
identity!("I_INT64", identity_int64, i64);
identity!("I_FP16", identity_fp16, f16);
identity!("I_BF16", identity_bf16, bf16);
identity!("I_FP32", identity_fp32, f32);
identity!("I_FP64", identity_fp64, f64);
identity!("I_BYTES", identity_bytes, Vec<u8>);
identity!("I_STRING", identity_string, String);
