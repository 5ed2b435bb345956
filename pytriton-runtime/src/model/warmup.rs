use std::borrow::Cow;

use super::{TensorSpec, elements_flaw};

/// Calls of the function with made-up requests, once for each instance and before it takes any other.
///
/// # Examples
///
/// ```
/// use pytriton_runtime::model::{Warmup, WarmupInput};
///
/// let full = Warmup::new("full")
///     .batch_size(16)
///     .count(2)
///     .input(WarmupInput::random("x").dims([128]))
///     .input(WarmupInput::zero("mask"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warmup {
    /// What it is called when it fails.
    pub name: Cow<'static, str>,
    /// How many requests of one row each make its batch.
    pub batch_size: u32,
    /// How often the function is called with it.
    pub count: u32,
    /// The inputs of each request; an optional one may be missing.
    pub inputs: Cow<'static, [WarmupInput]>,
}

/// An input of a warm-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WarmupInput {
    /// The input's name.
    pub name: Cow<'static, str>,
    /// What is in it.
    pub data: WarmupData,
    /// The dims without the batch axis, where the model's are not all fixed.
    pub dims: Option<WarmupDims>,
}

/// The dims of an input of a warm-up, without the batch axis.
pub type WarmupDims = Cow<'static, [i64]>;

/// What is in an input of a warm-up.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WarmupData {
    /// Zeros, `false`, texts without a character.
    Zero,
    /// Fractions from 0 to 1, integers from 0 to 99 or of all that 8 and 16 bits have, texts of 8 to 32 small letters: the
    /// same at each start.
    Random,
    /// A file of that path: with the extension `npy` as numpy has written it, with any other the elements' bytes in row-major
    /// order, those of `BYTES` behind their lengths. Its rows are repeated where the batch has more.
    File(Cow<'static, str>),
}

impl Warmup {
    /// A warm-up of that name: one call with one row, whose inputs are still missing.
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        Self {
            name: name.into(),
            batch_size: 1,
            count: 1,
            inputs: Cow::Borrowed(&[]),
        }
    }

    /// With so many requests of one row.
    #[must_use]
    pub fn batch_size(self, batch_size: u32) -> Self {
        Self { batch_size, ..self }
    }

    /// With so many calls.
    #[must_use]
    pub fn count(self, count: u32) -> Self {
        Self { count, ..self }
    }

    /// With one more input.
    #[must_use]
    pub fn input(mut self, input: WarmupInput) -> Self {
        self.inputs.to_mut().push(input);
        self
    }

    /// The input of that name.
    pub(crate) fn find(&self, name: &str) -> Option<&WarmupInput> {
        self.inputs.iter().find(|input| input.name == name)
    }
}

impl WarmupInput {
    /// An input of zeros.
    pub fn zero(name: impl Into<Cow<'static, str>>) -> Self {
        Self::new(name, WarmupData::Zero)
    }

    /// An input of random elements.
    pub fn random(name: impl Into<Cow<'static, str>>) -> Self {
        Self::new(name, WarmupData::Random)
    }

    /// An input from the file of that path.
    pub fn file(name: impl Into<Cow<'static, str>>, path: impl Into<Cow<'static, str>>) -> Self {
        Self::new(name, WarmupData::File(path.into()))
    }

    /// With these dims without the batch axis, where the model's are not all fixed.
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

    /// The dims of an input of such a tensor, where they are known before a file is read.
    pub(crate) fn dims_of(&self, tensor: &TensorSpec) -> Option<Vec<usize>> {
        let dims = self.dims.as_deref().unwrap_or(&tensor.dims);
        let dims = dims.iter().map(|&dim| usize::try_from(dim).ok());
        dims.collect()
    }

    /// What keeps it from being one of an input of these dims.
    pub(crate) const fn flaw(&self, tensor: &[i64]) -> Option<&'static str> {
        let dims = match &self.dims {
            Some(Cow::Borrowed(dims)) => *dims,
            Some(Cow::Owned(dims)) => dims.as_slice(),
            None if all_fixed(tensor) || self.data.says_dims() => return None,
            None => {
                return Some(
                    "the input's dims can be any: write those of the warm-up, without the batch axis, as in `random([128])`",
                );
            }
        };
        if !all_fixed(dims) {
            return Some("a dimension of a warm-up must be a number from 1");
        }
        if tensor.len() != dims.len() {
            return Some("expected as many dims as the input has without the batch axis");
        }
        match fits(tensor, dims) {
            true => elements_flaw(dims),
            false => Some("expected the input's own dims where they are fixed"),
        }
    }
}

impl WarmupData {
    /// Whether the data has dims of its own.
    const fn says_dims(&self) -> bool {
        match self {
            Self::File(Cow::Borrowed(path)) => is_npy(path),
            Self::File(Cow::Owned(path)) => is_npy(path.as_str()),
            _ => false,
        }
    }
}

/// Whether a file of that path is numpy's.
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

/// Whether a tensor whose dims these are, -1 for any, can have those, which are as many.
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
