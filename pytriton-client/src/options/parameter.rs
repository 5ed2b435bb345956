/// The value of a parameter of a request or a response.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ParameterValue {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int64(i64),
    /// A whole number that may be larger.
    Uint64(u64),
    /// Any number.
    Double(f64),
    /// A text.
    String(String),
}

macro_rules! from {
    ($($rust:ty => $variant:ident),* $(,)?) => {$(
        impl From<$rust> for ParameterValue {
            fn from(value: $rust) -> Self {
                Self::$variant(value.into())
            }
        }
    )*};
}

from! {
    bool => Bool,
    i32 => Int64,
    i64 => Int64,
    u32 => Int64,
    u64 => Uint64,
    f32 => Double,
    f64 => Double,
    &str => String,
    String => String,
}
