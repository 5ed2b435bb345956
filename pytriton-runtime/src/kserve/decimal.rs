use std::str::{FromStr, from_utf8};

/// A number as JSON writes it, taken apart.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Decimal<'a> {
    pub(super) text: &'a [u8],
    pub(super) negative: bool,
    /// All digits as one number, which means nothing where there are too many.
    pub(super) digits: u64,
    /// How many digits there are.
    pub(super) count: usize,
    /// The power of ten that the digits are multiplied by.
    pub(super) exponent: i32,
    /// Whether it has neither a fraction nor an exponent.
    pub(super) integer: bool,
}

/// So many digits fit into 64 bits, whichever they are.
const FITTING: usize = 19;

/// What a number can be read as.
pub(super) trait FromDecimal: Sized {
    /// `None` where it does not fit.
    fn from_decimal(decimal: Decimal<'_>) -> Option<Self>;
}

impl Decimal<'_> {
    /// The number as Rust reads it.
    fn parse<T: FromStr>(self) -> Option<T> {
        from_utf8(self.text).ok()?.parse().ok()
    }
}

macro_rules! integer {
    ($($rust:ty),*) => {$(
        impl FromDecimal for $rust {
            fn from_decimal(decimal: Decimal<'_>) -> Option<Self> {
                if !decimal.integer || decimal.count > FITTING {
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
                /// The powers of ten that such a float holds exactly.
                const POWERS: [$rust; $largest_power + 1] = [$($power),*];
                const EXACT: u64 = 1 << <$rust>::MANTISSA_DIGITS;

                let power = POWERS.get(decimal.exponent.unsigned_abs() as usize);
                // What is made of two exact floats by one operation is rounded once, as it has to be.
                let (Some(power), true) = (power, decimal.count <= FITTING && decimal.digits <= EXACT) else {
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
