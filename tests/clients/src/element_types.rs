//! A model that returns every element type unchanged.

use pytriton::prelude::*;

macro_rules! every_type {
    ($($name:ident: $element:ty),* $(,)?) => {
        #[derive(pytriton::Outputs)]
        struct Types {
            $($name: Array2<$element>,)*
        }

        #[expect(clippy::too_many_arguments, reason = "one for each element type")]
        #[pytriton::model(name = "Types", max_batch_size = 8)]
        #[batch]
        fn types($($name: ArrayView2<$element>),*) -> Types {
            Types { $($name: $name.to_owned()),* }
        }
    };
}

every_type! {
    of_bool: bool,
    of_u8: u8,
    of_u16: u16,
    of_u32: u32,
    of_u64: u64,
    of_i8: i8,
    of_i16: i16,
    of_i32: i32,
    of_i64: i64,
    of_f16: f16,
    of_bf16: bf16,
    of_f32: f32,
    of_f64: f64,
    of_bytes: Vec<u8>,
    of_string: String,
}
