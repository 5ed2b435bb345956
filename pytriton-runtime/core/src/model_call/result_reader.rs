use std::sync::Arc;

use pytriton_protocol::signature::ModelSignature;
use pytriton_protocol::typed::{Returned, read_outputs_within};

use crate::error::Error;
use crate::memory_budget::MemoryBudget;
use crate::model::ModelSpec;
use crate::request::Response;

use super::result_memory::ResultMemory;

/// Converts responses to the result type of a model's function.
pub(super) struct ResultReader {
    signature: Arc<ModelSignature>,
    spec: Arc<ModelSpec>,
    budget: Arc<MemoryBudget>,
    /// Where the memory of results remains reserved. `None` if it is reserved only while they are
    /// read.
    results: Option<Arc<ResultMemory>>,
}

impl ResultReader {
    pub(super) fn new(
        signature: Arc<ModelSignature>,
        spec: Arc<ModelSpec>,
        budget: &Arc<MemoryBudget>,
        results: Option<Arc<ResultMemory>>,
    ) -> Self {
        Self {
            signature,
            spec,
            budget: Arc::clone(budget),
            results,
        }
    }

    /// Converts a response. The memory of each output is reserved first.
    pub(super) fn read<O: Returned>(&self, response: &Response) -> Result<O::Typed, Error> {
        let tensor = |name: &str| {
            let index = self.spec.output_index(name)?;
            let mut outputs = response.outputs.iter();
            let (_, tensor) = outputs.find(|(other, _)| *other == index)?;
            Some(&**tensor)
        };
        let mut memory = self.budget.empty_permit();
        let mut refused = None;
        let mut reserve = |bytes| {
            let reserved = memory.grow(bytes);
            refused = reserved.err();
            refused.is_none()
        };
        let read = read_outputs_within::<O>(&self.signature.outputs, tensor, &mut reserve);
        if let Some(error) = refused {
            return Err(Error::unavailable(error));
        }
        let read = read
            .map_err(|(output, source)| Error::internal(format!("output '{output}': {source}")))?;
        if let Some(results) = &self.results {
            results.add(memory, &self.budget);
        }
        Ok(read)
    }
}
