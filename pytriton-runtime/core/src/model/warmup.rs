use std::borrow::Cow;

use super::{TensorSpec, elements_flaw};

/// Warm-up calls with artificial requests, made by each instance before it accepts others.
///
/// # Examples
///
/// ```
/// use pytriton_core::model::{Warmup, WarmupInput};
///
/// let full = Warmup::new("full")
///     .batch_size(16)
///     .count(2)
///     .input(WarmupInput::random("x").dims([128]))
///     .input(WarmupInput::zero("mask"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warmup {
    /// The name, for error messages.
    pub name: Cow<'static, str>,
    /// The number of one-row requests in the batch.
    pub batch_size: u32,
    /// The number of calls.
    pub count: u32,
    /// The inputs of each request; optional ones may be omitted.
    pub inputs: Cow<'static, [WarmupInput]>,
}

/// An input of a warm-up.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WarmupInput {
    /// The name.
    pub name: Cow<'static, str>,
    /// The contents.
    pub data: WarmupData,
    /// The dimensions without the batch axis, if the model's are not all fixed.
    pub dims: Option<WarmupDims>,
}

/// The dimensions of a warm-up input, without the batch axis.
pub type WarmupDims = Cow<'static, [i64]>;

/// The contents of a warm-up input.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WarmupData {
    /// Zeros, `false`, empty strings.
    Zero,
    /// Random values, the same at each start. Floats are from 0 to 1, and integers from 0 to 99
    /// (8-bit and 16-bit ones use the full range). Strings have 8 to 32 lowercase letters.
    Random,
    /// The contents of a file: numpy's format if the extension is `npy`, otherwise the elements'
    /// bytes in row-major order (`BYTES` with length prefixes). The rows are repeated as needed.
    File(Cow<'static, str>),
}

impl Warmup {
    /// Creates a warm-up of one call with one row and no inputs.
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        Self {
            name: name.into(),
            batch_size: 1,
            count: 1,
            inputs: Cow::Borrowed(&[]),
        }
    }

    /// The warm-up of an attribute. Used by generated code.
    #[doc(hidden)]
    pub const fn declared(
        name: &'static str,
        batch_size: u32,
        count: u32,
        inputs: &'static [WarmupInput],
    ) -> Self {
        Self {
            name: Cow::Borrowed(name),
            batch_size,
            count,
            inputs: Cow::Borrowed(inputs),
        }
    }

    /// Sets the number of one-row requests.
    #[must_use]
    pub fn batch_size(self, batch_size: u32) -> Self {
        Self { batch_size, ..self }
    }

    /// Sets the number of calls.
    #[must_use]
    pub fn count(self, count: u32) -> Self {
        Self { count, ..self }
    }

    /// Adds an input.
    #[must_use]
    pub fn input(mut self, input: WarmupInput) -> Self {
        self.inputs.to_mut().push(input);
        self
    }

    /// The input with this name.
    pub(crate) fn find(&self, name: &str) -> Option<&WarmupInput> {
        self.inputs.iter().find(|input| input.name == name)
    }
}

impl WarmupInput {
    /// An input of zeros.
    pub fn zero(name: impl Into<Cow<'static, str>>) -> Self {
        Self::new(name, WarmupData::Zero)
    }

    /// An input of random values.
    pub fn random(name: impl Into<Cow<'static, str>>) -> Self {
        Self::new(name, WarmupData::Random)
    }

    /// An input from a file.
    pub fn file(name: impl Into<Cow<'static, str>>, path: impl Into<Cow<'static, str>>) -> Self {
        Self::new(name, WarmupData::File(path.into()))
    }

    /// The input of an attribute. Used by generated code.
    #[doc(hidden)]
    pub const fn declared(
        name: &'static str,
        data: WarmupData,
        dims: Option<&'static [i64]>,
    ) -> Self {
        Self {
            name: Cow::Borrowed(name),
            data,
            dims: match dims {
                Some(dims) => Some(Cow::Borrowed(dims)),
                None => None,
            },
        }
    }

    /// Sets the dimensions without the batch axis, required if the model's are not all fixed.
    #[must_use]
    pub fn dims(self, dims: impl Into<Vec<i64>>) -> Self {
        Self {
            dims: Some(Cow::Owned(dims.into())),
            ..self
        }
    }

    fn new(name: impl Into<Cow<'static, str>>, data: WarmupData) -> Self {
        Self {
            name: name.into(),
            data,
            dims: None,
        }
    }

    /// The dimensions of the input, if they are known without reading a file.
    pub(crate) fn dims_of(&self, tensor: &TensorSpec) -> Option<Vec<usize>> {
        let dims = self.dims.as_deref().unwrap_or(&tensor.dims);
        let dims = dims.iter().map(|&dim| usize::try_from(dim).ok());
        dims.collect()
    }

    /// The reason why it does not match an input with these dimensions.
    pub(crate) const fn flaw(&self, tensor: &[i64]) -> Option<&'static str> {
        let dims = match &self.dims {
            Some(Cow::Borrowed(dims)) => *dims,
            Some(Cow::Owned(dims)) => dims.as_slice(),
            None if all_fixed(tensor) || self.data.says_dims() => return None,
            None => {
                return Some(
                    "the input has variable dims: specify them for the warm-up, without the batch axis, as in `random([128])`",
                );
            }
        };
        if !all_fixed(dims) {
            return Some("each dimension of a warm-up must be at least 1");
        }
        if tensor.len() != dims.len() {
            return Some("the number of dims must match the input's, without the batch axis");
        }
        match fits(tensor, dims) {
            true => elements_flaw(dims),
            false => Some("a warm-up cannot change the input's fixed dims"),
        }
    }
}

impl WarmupData {
    /// Whether the data determines the dimensions.
    const fn says_dims(&self) -> bool {
        match self {
            Self::File(Cow::Borrowed(path)) => is_npy(path),
            Self::File(Cow::Owned(path)) => is_npy(path.as_str()),
            _ => false,
        }
    }
}

/// Whether the path names a numpy file.
pub(crate) const fn is_npy(path: &str) -> bool {
    matches!(path.as_bytes(), [.., b'.', b'n', b'p', b'y'])
}

const fn all_fixed(dims: &[i64]) -> bool {
    let mut index = 0;
    while index < dims.len() {
        if dims[index] < 1 {
            return false;
        }
        index += 1;
    }
    true
}

/// Whether `dims` match the tensor's dimensions, in which -1 means any size; both have the same
/// length.
const fn fits(tensor: &[i64], dims: &[i64]) -> bool {
    let mut index = 0;
    while index < tensor.len() {
        if tensor[index] >= 0 && tensor[index] != dims[index] {
            return false;
        }
        index += 1;
    }
    true
}
