use std::fmt;

/// The value of a request or response parameter.
///
/// These are all types of the protocol. The enum is exhaustive, so that a codec that does not
/// handle one does not compile.
#[derive(Debug, Clone, PartialEq)]
pub enum ParameterValue {
    /// A boolean.
    Bool(bool),
    /// A signed integer.
    Int64(i64),
    /// An unsigned integer, over gRPC.
    Uint64(u64),
    /// A floating-point number.
    Double(f64),
    /// A string; forwarded headers are strings.
    String(String),
}

impl fmt::Display for ParameterValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Int64(value) => value.fmt(f),
            Self::Uint64(value) => value.fmt(f),
            Self::Double(value) => value.fmt(f),
            Self::String(value) => value.fmt(f),
        }
    }
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
