use std::str::{FromStr, from_utf8};

/// A parsed JSON number.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Decimal<'a> {
    pub(super) text: &'a [u8],
    pub(super) negative: bool,
    /// All digits as one number. Meaningless if there are too many.
    pub(super) digits: u64,
    /// The number of digits.
    pub(super) count: usize,
    /// The power of ten by which the digits are multiplied.
    pub(super) exponent: i32,
    /// Whether it has neither a fraction nor an exponent.
    pub(super) integer: bool,
}

/// Any number with this many digits fits in 64 bits.
const MAX_FITTING_DIGITS: usize = 19;

/// A type that can be converted from a number.
pub(super) trait FromDecimal: Sized {
    /// Returns `None` if the number does not fit.
    fn from_decimal(decimal: Decimal<'_>) -> Option<Self>;
}

impl Decimal<'_> {
    /// Parses the text with Rust's parser.
    fn parse<T: FromStr>(self) -> Option<T> {
        from_utf8(self.text).ok()?.parse().ok()
    }
}

macro_rules! integer {
    ($($rust:ty),*) => {$(
        impl FromDecimal for $rust {
            fn from_decimal(decimal: Decimal<'_>) -> Option<Self> {
                if !decimal.integer || decimal.count > MAX_FITTING_DIGITS {
                    return None;
                }
                let magnitude = i64::try_from(decimal.digits).ok()?;
                Self::try_from(if decimal.negative { -magnitude } else { magnitude }).ok()
            }
        }
    )*};
}

integer!(i32, i64);

macro_rules! float {
    ($rust:ty, $largest_power:literal, [$($power:literal),*]) => {
        impl FromDecimal for $rust {
            #[inline]
            fn from_decimal(decimal: Decimal<'_>) -> Option<Self> {
                /// The powers of ten that the float represents exactly.
                const POWERS: [$rust; $largest_power + 1] = [$($power),*];
                const EXACT: u64 = 1 << <$rust>::MANTISSA_DIGITS;

                let power = POWERS.get(decimal.exponent.unsigned_abs() as usize);
                // A single operation on two exact floats is rounded once, which gives the correct
                // result.
                let (Some(power), true) = (power, decimal.count <= MAX_FITTING_DIGITS && decimal.digits <= EXACT) else {
                    return decimal.parse().filter(|value: &$rust| value.is_finite());
                };
                let digits = decimal.digits as $rust;
                let magnitude = match decimal.exponent < 0 {
                    true => digits / power,
                    false => digits * power,
                };
                Some(if decimal.negative { -magnitude } else { magnitude })
            }
        }
    };
}

float!(
    f32,
    10,
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10]
);
float!(
    f64,
    22,
    [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22
    ]
);
