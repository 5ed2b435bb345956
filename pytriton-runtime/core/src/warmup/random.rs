use half::{bf16, f16};

use crate::tensor::DataType;

/// A pseudorandom generator (SplitMix64) that yields the same numbers at each start.
#[derive(Debug)]
pub(super) struct Random(u64);

impl Random {
    /// Creates a generator seeded by a text.
    pub(super) fn of(text: &str) -> Self {
        let seed = text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`.
    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Returns a number from 0 to 1, exclusive. It has few enough digits that half precision does
    /// not round it up.
    fn fraction(&mut self) -> f32 {
        let thousandths = u16::try_from(self.below(1 << 7)).unwrap_or_default();
        f32::from(thousandths) / 128.0
    }

    /// Returns contiguous elements of a datatype. The ranges are those of PyTriton.
    pub(super) fn elements(&mut self, datatype: DataType, count: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for _ in 0..count {
            match datatype {
                DataType::Bool => bytes.push(u8::from(self.below(2) == 1)),
                DataType::Fp16 => bytes.extend(f16::from_f32(self.fraction()).to_le_bytes()),
                DataType::Bf16 => bytes.extend(bf16::from_f32(self.fraction()).to_le_bytes()),
                DataType::Fp32 => bytes.extend(self.fraction().to_le_bytes()),
                DataType::Fp64 => bytes.extend(f64::from(self.fraction()).to_le_bytes()),
                DataType::Bytes => self.text(&mut bytes),
                datatype => {
                    let size = datatype.size().unwrap_or_default();
                    let number = match size {
                        1 | 2 => self.next(),
                        _ => self.below(100),
                    };
                    bytes.extend_from_slice(&number.to_le_bytes()[..size]);
                }
            }
        }
        bytes
    }

    fn text(&mut self, bytes: &mut Vec<u8>) {
        let length = 8 + self.below(25);
        bytes.extend_from_slice(&length.to_le_bytes()[..4]);
        for _ in 0..length {
            bytes.push(b'a' + self.next().to_le_bytes()[0] % 26);
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use crate::tensor::Tensor;

    use super::*;

    #[test]
    fn elements_are_valid_and_reproducible() {
        for datatype in DataType::ALL {
            let elements = || Random::of("x").elements(datatype, 100);
            assert_eq!(elements(), elements());
            assert_ne!(elements(), Random::of("y").elements(datatype, 100));
            let tensor = Tensor::new(datatype, vec![100], Bytes::from(elements()));
            assert!(tensor.is_ok(), "{datatype}: {tensor:?}");
        }
        let fractions = Random::of("x").elements(DataType::Fp32, 100);
        let fractions = fractions.as_chunks().0.iter();
        let mut fractions = fractions.map(|bytes| f32::from_le_bytes(*bytes));
        assert!(fractions.all(|fraction| (0.0..1.0).contains(&fraction)));
    }
}
