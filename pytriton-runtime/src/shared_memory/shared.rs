use std::sync::Arc;

use crate::request::{InferInput, Response};

use super::{Section, SharedMemoryError};

/// What of a request is in shared memory.
#[derive(Debug, Default)]
pub struct Shared {
    /// Inputs by their place in the request.
    pub inputs: Vec<(usize, Section)>,
    /// Outputs, each once.
    pub outputs: Vec<SharedOutput>,
}

/// An output that is to be written to shared memory.
#[derive(Debug)]
pub struct SharedOutput {
    /// Which of the model's.
    pub index: usize,
    /// Its name.
    pub name: Arc<str>,
    /// Where to.
    pub section: Section,
}

impl Shared {
    /// The bytes of its inputs.
    pub fn input_bytes(&self) -> usize {
        let sections = self.inputs.iter();
        sections.fold(0, |bytes, (_, section)| {
            bytes.saturating_add(section.byte_size())
        })
    }

    /// About how many bytes of memory it takes, with those of the inputs when they are fetched.
    pub fn bytes(&self) -> usize {
        let inputs = size_of_val(self.inputs.as_slice());
        let outputs = size_of_val(self.outputs.as_slice());
        self.input_bytes().saturating_add(inputs + outputs)
    }

    /// Whether nothing is.
    fn is_empty(&self) -> bool {
        self.inputs.is_empty() && self.outputs.is_empty()
    }

    /// Copies the bytes of its inputs to where the request has them, at most so many.
    ///
    /// # Errors
    ///
    /// [`SharedMemoryError::TooLarge`], and that of the first input that cannot be read.
    pub fn fetch(&self, inputs: &mut [InferInput], limit: usize) -> Result<(), SharedMemoryError> {
        if self.input_bytes() > limit {
            return Err(SharedMemoryError::TooLarge { limit });
        }
        for (index, section) in &self.inputs {
            if let Some(input) = inputs.get_mut(*index) {
                input.data = section.read()?;
            }
        }
        Ok(())
    }

    /// The same to be kept as long as anybody answers the request; `None` where nothing is.
    pub fn share(self) -> Option<Arc<Self>> {
        (!self.is_empty()).then(|| Arc::new(self))
    }

    /// Adds an output, unless it is there.
    pub fn insert(&mut self, output: SharedOutput) {
        if !self.has(output.index) {
            self.outputs.push(output);
        }
    }

    /// Whether an output is written there.
    pub fn has(&self, output: usize) -> bool {
        self.section(output).is_some()
    }

    /// Writes the outputs of a response to their places; none of them where one has too little room.
    ///
    /// # Errors
    ///
    /// [`SharedMemoryError::OutputSize`], and that of the first output that cannot be written.
    pub fn store(&self, response: &Response) -> Result<(), SharedMemoryError> {
        let shared = || {
            let outputs = response.outputs.iter();
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
