use std::fmt::Debug;

use half::{bf16, f16};

use crate::tensor::DataType;

use self::sealed::Sealed;

mod sealed {
    pub trait Sealed {}
}

/// A number or Boolean for padding outputs.
///
/// It is sealed: `bool`, `u8` to `u64`, `i8` to `i64`, `f16`, `bf16`, `f32` and `f64` implement it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot pad outputs",
    label = "expected a Boolean, an integer of 8 to 64 bits, or a float",
    note = "convert a `usize`, for example with `as i64`"
)]
pub trait PadValue: Sealed + Debug + Copy + Send + Sync {
    /// Returns the bytes of one element of this type, which is empty for strings. Returns `None` if
    /// the type cannot represent the value.
    fn bytes(self, datatype: DataType) -> Option<Vec<u8>>;
}

fn integer(value: i128, datatype: DataType) -> Option<Vec<u8>> {
    Some(match datatype {
        DataType::Bool if value == 0 || value == 1 => vec![u8::from(value == 1)],
        DataType::Bool => return None,
        DataType::Uint8 => u8::try_from(value).ok()?.to_le_bytes().to_vec(),
        DataType::Uint16 => u16::try_from(value).ok()?.to_le_bytes().to_vec(),
        DataType::Uint32 => u32::try_from(value).ok()?.to_le_bytes().to_vec(),
        DataType::Uint64 => u64::try_from(value).ok()?.to_le_bytes().to_vec(),
        DataType::Int8 => i8::try_from(value).ok()?.to_le_bytes().to_vec(),
        DataType::Int16 => i16::try_from(value).ok()?.to_le_bytes().to_vec(),
        DataType::Int32 => i32::try_from(value).ok()?.to_le_bytes().to_vec(),
        DataType::Int64 => i64::try_from(value).ok()?.to_le_bytes().to_vec(),
        _ => return float(value as f64, datatype),
    })
}

fn float(value: f64, datatype: DataType) -> Option<Vec<u8>> {
    // Uses the nearest value, unless that is infinite and the given one is not.
    let held = |near: f64| (near.is_finite() || !value.is_finite()).then_some(());
    Some(match datatype {
        DataType::Fp16 => {
            let near = f16::from_f64(value);
            held(near.to_f64())?;
            near.to_le_bytes().to_vec()
        }
        DataType::Bf16 => {
            let near = bf16::from_f64(value);
            held(near.to_f64())?;
            near.to_le_bytes().to_vec()
        }
        DataType::Fp32 => {
            #[expect(clippy::cast_possible_truncation, reason = "what is lost is looked at")]
            let near = value as f32;
            held(near.into())?;
            near.to_le_bytes().to_vec()
        }
        DataType::Fp64 => value.to_le_bytes().to_vec(),
        DataType::Bytes => vec![0; size_of::<u32>()],
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a whole number beyond the range becomes one that no element type holds either"
        )]
        _ if value.fract() == 0.0 => return integer(value as i128, datatype),
        _ => return None,
    })
}

macro_rules! pad_value {
    ($function:ident as $wide:ty: $($number:ty),*) => {
        $(
            impl Sealed for $number {}

            impl PadValue for $number {
                fn bytes(self, datatype: DataType) -> Option<Vec<u8>> {
                    $function(<$wide>::from(self), datatype)
                }
            }
        )*
    };
}

pad_value!(integer as i128: bool, u8, u16, u32, u64, i8, i16, i32, i64);
pad_value!(float as f64: f16, bf16, f32, f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pad_value_is_converted_if_the_datatype_can_hold_it() {
        let some = |bytes: &[u8]| Some(bytes.to_vec());
        let table = [
            (1.bytes(DataType::Bool), some(&[1])),
            (2.bytes(DataType::Bool), None),
            (false.bytes(DataType::Int16), some(&[0, 0])),
            ((-1).bytes(DataType::Int8), some(&[255])),
            ((-1).bytes(DataType::Uint64), None),
            (u64::MAX.bytes(DataType::Uint64), some(&[255; 8])),
            (u64::MAX.bytes(DataType::Int64), None),
            (
                i64::MIN.bytes(DataType::Int64),
                some(&i64::MIN.to_le_bytes()),
            ),
            (1.bytes(DataType::Fp32), some(&1.0_f32.to_le_bytes())),
            (0.1.bytes(DataType::Fp32), some(&0.1_f32.to_le_bytes())),
            (1.5.bytes(DataType::Fp16), some(&[0, 0x3e])),
            (1.5.bytes(DataType::Bf16), some(&[0xc0, 0x3f])),
            (1e6.bytes(DataType::Fp16), None),
            (1e300.bytes(DataType::Fp32), None),
            (f64::INFINITY.bytes(DataType::Fp16), some(&[0, 0x7c])),
            (2.0.bytes(DataType::Uint8), some(&[2])),
            (2.5.bytes(DataType::Uint8), None),
            (1e300.bytes(DataType::Uint64), None),
            (f64::NAN.bytes(DataType::Int32), None),
            (f32::NAN.bytes(DataType::Bytes), some(&[0; 4])),
        ];
        for (number, (got, expected)) in table.into_iter().enumerate() {
            assert_eq!(got, expected, "{number}");
        }
    }
}
