use std::sync::Arc;

use bytes::Bytes;

use crate::tracked_tensor::TrackedTensor;

use super::{Section, SharedMemoryError};

/// The inputs and outputs of a request that are in shared memory.
#[derive(Debug, Default)]
pub struct Shared {
    /// The inputs, by index in the request.
    pub inputs: Vec<(usize, Section)>,
    /// The outputs, without duplicates.
    pub outputs: Vec<SharedOutput>,
}

/// An output that is written to shared memory.
#[derive(Debug)]
pub struct SharedOutput {
    /// The index of the output in the model.
    pub index: usize,
    /// The name of the output.
    pub name: Arc<str>,
    /// The destination.
    pub section: Section,
}

impl Shared {
    /// Returns the total size of the inputs in bytes.
    pub fn input_bytes(&self) -> usize {
        let sections = self.inputs.iter();
        sections.fold(0, |bytes, (_, section)| {
            bytes.saturating_add(section.byte_size())
        })
    }

    /// Returns the approximate memory in bytes, including the inputs after they are fetched.
    pub fn bytes(&self) -> usize {
        let inputs = size_of_val(self.inputs.as_slice());
        let outputs = size_of_val(self.outputs.as_slice());
        self.input_bytes().saturating_add(inputs + outputs)
    }

    /// Returns whether there are no inputs and outputs.
    fn is_empty(&self) -> bool {
        self.inputs.is_empty() && self.outputs.is_empty()
    }

    /// Copies the inputs, at most `limit` bytes in all. `set` receives the index and the bytes of
    /// each.
    ///
    /// # Errors
    ///
    /// Returns [`SharedMemoryError::TooLarge`], or the error of the first input that cannot be
    /// read.
    pub fn fetch(
        &self,
        limit: usize,
        mut set: impl FnMut(usize, Bytes),
    ) -> Result<(), SharedMemoryError> {
        if self.input_bytes() > limit {
            return Err(SharedMemoryError::TooLarge { limit });
        }
        for (index, section) in &self.inputs {
            set(*index, section.read()?);
        }
        Ok(())
    }

    /// Returns a shared reference, or `None` if there are no inputs and outputs.
    pub fn share(self) -> Option<Arc<Self>> {
        (!self.is_empty()).then(|| Arc::new(self))
    }

    /// Adds an output, unless it exists.
    pub fn insert(&mut self, output: SharedOutput) {
        if !self.has(output.index) {
            self.outputs.push(output);
        }
    }

    /// Returns whether an output is in shared memory.
    pub fn has(&self, output: usize) -> bool {
        self.section(output).is_some()
    }

    /// Writes the outputs of a response, by index in the model, to their sections. If one does not
    /// fit, none is written.
    ///
    /// # Errors
    ///
    /// Returns [`SharedMemoryError::OutputSize`], or the error of the first output that cannot be
    /// written.
    pub fn store(&self, outputs: &[(usize, TrackedTensor)]) -> Result<(), SharedMemoryError> {
        let shared = || {
            let outputs = outputs.iter();
            outputs.filter_map(|(index, tensor)| Some((self.section(*index)?, tensor)))
        };
        for (output, tensor) in shared() {
            let (needed, byte_size) = (tensor.data().len(), output.section.byte_size());
            if needed > byte_size {
                return Err(SharedMemoryError::OutputSize {
                    output: Arc::clone(&output.name),
                    byte_size,
                    needed,
                });
            }
            output.section.check(needed)?;
        }
        for (output, tensor) in shared() {
            output.section.write(tensor.data())?;
        }
        Ok(())
    }

    fn section(&self, output: usize) -> Option<&SharedOutput> {
        self.outputs.iter().find(|shared| shared.index == output)
    }
}
