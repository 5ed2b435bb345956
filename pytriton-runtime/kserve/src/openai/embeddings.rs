use std::num::NonZeroUsize;

use pytriton_core::memory_budget::{MemoryBudgetError, MemoryPermit};
use pytriton_core::model::{ModelSpec, Surface};
use pytriton_core::registry::{DIMENSIONS, ENCODING_FORMAT};
use pytriton_core::tracked_bytes::TrackedBytes;
use serde_json::value::RawValue;

use crate::json::Value;

use super::member_value::invalid;
use super::request::missing;
use super::rows::{Column, RowRequests};
use super::strings::strings;
use super::{OpenAiError, OpenAiRequest};

/// The maximum number of texts in a request, as in OpenAI's API.
pub(super) const MAX_TEXTS: usize = 2048;

/// A request for the vectors of texts.
#[derive(Debug)]
pub struct EmbeddingRequest<'s, 'a> {
    /// The encoding of the vectors.
    pub encoding: VectorEncoding,
    /// The length to which vectors are shortened, if any.
    pub dimensions: Option<NonZeroUsize>,
    rows: RowRequests<'s, 'a>,
}

impl EmbeddingRequest<'_, '_> {
    /// Returns the total size of the requests to the model, in bytes.
    pub fn bytes(&self) -> usize {
        self.rows.bytes
    }

    /// Returns the requests of the generate extension, in the order of their texts.
    ///
    /// # Errors
    ///
    /// Returns [`MemoryBudgetError`] if their memory cannot be reserved.
    pub fn bodies(
        &self,
        permit: &mut MemoryPermit,
    ) -> Result<Vec<TrackedBytes>, MemoryBudgetError> {
        self.rows.bodies(permit)
    }
}

/// The encoding of vectors in a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VectorEncoding {
    /// An array of numbers.
    #[default]
    Float,
    /// The bytes of `f32`, little endian, as base64.
    Base64,
}

impl<'a> OpenAiRequest<'a> {
    /// Converts the request for its model, whose first input receives the texts.
    ///
    /// # Errors
    ///
    /// Returns an [`OpenAiError`] if a member is missing, invalid or not supported, or
    /// [`OpenAiError::Invalid`] if the resulting requests are larger than `most` in total, or more
    /// than 16 MiB larger than this one.
    pub fn embeddings<'s>(
        mut self,
        spec: &'s ModelSpec,
        most: usize,
        permit: &mut MemoryPermit,
    ) -> Result<EmbeddingRequest<'s, 'a>, OpenAiError> {
        let surface = Surface::Embeddings;
        let member = surface.subject();
        let input = self.members.remove(member);
        let input = input.ok_or_else(|| missing(member))?;
        let texts = strings(member, input, MAX_TEXTS, permit)?;
        let encoding = self.members.remove(ENCODING_FORMAT);
        let dimensions = self.members.remove(DIMENSIONS);
        Ok(EmbeddingRequest {
            encoding: encoding.map_or(Ok(VectorEncoding::Float), encoding_of)?,
            dimensions: dimensions.map(dimensions_of).transpose()?,
            rows: {
                let count = texts.len();
                let columns = vec![Column::Each(texts)];
                self.into_requests(spec, surface, (columns, count), most, permit)?
            },
        })
    }
}

fn encoding_of(value: &RawValue) -> Result<VectorEncoding, OpenAiError> {
    // The text of a longer value is not copied.
    match value.get() {
        r#""float""# => Ok(VectorEncoding::Float),
        r#""base64""# => Ok(VectorEncoding::Base64),
        _ => {
            let found = Value::new(value).describe();
            let what = format!("expected \"float\" or \"base64\", found {found}");
            Err(invalid(ENCODING_FORMAT, what))
        }
    }
}

fn dimensions_of(value: &RawValue) -> Result<NonZeroUsize, OpenAiError> {
    let json = Value::new(value);
    let dimensions = json
        .unsigned()
        .and_then(|number| usize::try_from(number).ok());
    dimensions.and_then(NonZeroUsize::new).ok_or_else(|| {
        let found = json.describe();
        let what = format!("expected an integer of at least 1, found {found}");
        invalid(DIMENSIONS, what)
    })
}

#[cfg(test)]
#[path = "embeddings_tests.rs"]
mod tests;
