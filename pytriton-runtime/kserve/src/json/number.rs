use std::iter::repeat;

use pytriton_core::free_bytes::FreeBytes;

/// A float that is written with the fewest digits that parse to the same value.
pub trait Float: Copy {
    /// Appends the number in Triton's layout. It has at most 48 bytes, including those that are
    /// removed again.
    fn write(self, out: &mut FreeBytes<'_>);
}

macro_rules! float {
    ($($rust:ty, $integer:ty, $integers:expr;)*) => {$(
        impl Float for $rust {
            fn write(self, out: &mut FreeBytes<'_>) {
                // A fast path: floats represent these integers exactly, and counts and classes are
                // common.
                const INTEGERS: $integer = $integers;
                #[expect(clippy::cast_possible_truncation, reason = "compared with what it was")]
                let integer = self as $integer;
                if integer as $rust == self && (1..=INTEGERS).contains(&integer.saturating_abs()) {
                    out.extend_from_slice(itoa::Buffer::new().format(integer).as_bytes());
                    out.extend_from_slice(b".0");
                } else if self.is_finite() {
                    let mut buffer = zmij::Buffer::new();
                    let text = buffer.format_finite(self);
                    // Most numbers have no exponent.
                    let positional = (1e-4..1e12).contains(&self.abs());
                    let exponent = match positional {
                        true => None,
                        false => text.bytes().rposition(|byte| byte == b'e'),
                    };
                    match exponent {
                        None => append(text.as_bytes(), out),
                        Some(at) => lay_out(&text[..at], &text[at + 1..], out),
                    }
                } else {
                    // Not JSON, but what Triton writes and its clients accept.
                    let text = if self.is_nan() { "NaN" } else if self > 0.0 { "Infinity" } else { "-Infinity" };
                    out.extend_from_slice(text.as_bytes());
                }
            }
        }
    )*};
}

float! {
    f32, i32, 1 << 23;
    f64, i64, 1 << 39;
}

/// Appends a short text in two blocks that may overlap. A copy of unknown length would take longer
/// than formatting the number.
#[inline]
fn append(text: &[u8], out: &mut FreeBytes<'_>) {
    const BLOCK: usize = 8;
    let length = text.len();
    let (Some(first), Some(last)) = (text.first_chunk::<BLOCK>(), text.last_chunk::<BLOCK>())
    else {
        return out.extend_from_slice(text);
    };
    let mut blocks = [0; 2 * BLOCK];
    let Some(end) = blocks.get_mut(length - BLOCK..length) else {
        return out.extend_from_slice(text);
    };
    end.copy_from_slice(last);
    blocks[..BLOCK].copy_from_slice(first);
    out.extend_from_slice(&blocks);
    out.truncate(out.as_slice().len() - blocks.len() + length);
}

/// Converts numbers such as `-1.25` and `16` into `-12500000000000000.0`. Exponents are used only
/// from 1e21 upwards and below 1e-6.
///
/// Source: `Prettify` in RapidJSON's `dtoa.h`.
fn lay_out(mantissa: &str, exponent: &str, out: &mut FreeBytes<'_>) {
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(unsigned) => ("-", unsigned),
        None => ("", mantissa),
    };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    out.extend_from_slice(sign.as_bytes());
    let digits = mantissa.bytes().filter(|byte| *byte != b'.');
    match exponent {
        0..=20 => {
            let integer_digits = exponent.unsigned_abs() as usize + 1;
            let padded = digits.clone().chain(repeat(b'0'));
            padded
                .take(integer_digits)
                .for_each(|digit| out.push(digit));
            out.push(b'.');
            let mut fraction = digits.skip(integer_digits).peekable();
            if fraction.peek().is_none() {
                out.push(b'0');
            }
            fraction.for_each(|digit| out.push(digit));
        }
        -6..=-1 => {
            out.extend_from_slice(b"0.");
            (exponent..-1).for_each(|_| out.push(b'0'));
            digits.for_each(|digit| out.push(digit));
        }
        _ => {
            out.extend_from_slice(mantissa.as_bytes());
            out.push(b'e');
            out.extend_from_slice(itoa::Buffer::new().format(exponent).as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pytriton_core::memory_budget::MemoryBudget;
    use pytriton_core::tracked_buffer::TrackedBuffer;

    use crate::json::writer::MAX_SCALAR_BYTES;

    use super::*;

    fn text(float: impl Float) -> String {
        let mut out = TrackedBuffer::new(MemoryBudget::new(1 << 10).empty_permit());
        out.reserve(MAX_SCALAR_BYTES).unwrap();
        float.write(&mut out.free_mut());
        String::from_utf8(out.as_slice().to_vec()).unwrap()
    }

    #[test]
    fn numbers_are_formatted_like_triton() {
        let table = [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.1, "0.1"),
            (-1.25, "-1.25"),
            (123456.789, "123456.789"),
            (1e9, "1000000000.0"),
            (12345678912.5, "12345678912.5"),
            (1e15, "1000000000000000.0"),
            (123456789012345680.0, "123456789012345680.0"),
            (1.5e20, "150000000000000000000.0"),
            (1e21, "1e21"),
            (2.5e21, "2.5e21"),
            (0.001, "0.001"),
            (0.00025, "0.00025"),
            (1e-5, "0.00001"),
            (1.5e-6, "0.0000015"),
            (1e-6, "0.000001"),
            (1e-7, "1e-7"),
            (-1.25e-9, "-1.25e-9"),
            (-1e-300, "-1e-300"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "Infinity"),
            (f64::NEG_INFINITY, "-Infinity"),
        ];
        for (float, expected) in table {
            assert_eq!(text(float), expected);
        }
        assert_eq!(text(0.1_f32), "0.1");
        assert_eq!(text(-0.0_f32), "-0.0");
        assert_eq!(text(-1.0_f32), "-1.0");
        assert_eq!(text(2147483648_f32), "2147483600.0");
        assert_eq!(text(3.4028235e38_f32), "3.4028235e38");
        assert_eq!(text(16777216_f32), "16777216.0");
    }

    #[test]
    fn integral_floats_are_formatted_like_others() {
        for exponent in 0..63 {
            let power = 1_i64 << exponent;
            for integer in [power - 1, power, power + 1, 1 - power, -power, -1 - power] {
                let (single, double) = (integer as f32, integer as f64);
                let mut buffer = zmij::Buffer::new();
                if single.abs() < 1e7 {
                    assert_eq!(text(single), buffer.format_finite(single));
                }
                if double.abs() < 1e12 {
                    assert_eq!(text(double), buffer.format_finite(double));
                }
                assert_eq!(text(single).parse(), Ok(single));
                assert_eq!(text(double).parse(), Ok(double));
            }
        }
    }

    proptest! {
        #[test]
        fn formatted_numbers_round_trip(single in any::<f32>(), double in any::<f64>()) {
            prop_assert_eq!(text(single).parse::<f32>().unwrap().to_bits(), single.to_bits());
            prop_assert_eq!(text(double).parse::<f64>().unwrap().to_bits(), double.to_bits());
        }
    }
}
