use pytriton_backend::Code;
use pytriton_backend::channel::{ChannelError, Desk, data_start, place};
use pytriton_backend::wire::{AnswerWriter, Part, Region, WireError};

use crate::Error;
use crate::handover::code;
use crate::model::Response;

/// The description of an answer; its memory is used again for the next.
#[derive(Debug, Default)]
pub(super) struct Answer {
    description: Vec<u8>,
}

impl Answer {
    /// Writes what became of a batch into shared memory; returns the lengths of the description and of the tensors.
    pub(super) fn write(
        &mut self,
        desk: &mut Desk,
        results: &[Result<Response, Error>],
    ) -> Result<(usize, usize), ChannelError> {
        let data = self.describe(results)?;
        let len = self.description.len();
        let start = data_start(len).ok_or(WireError::Bounds)?;
        let end = start.checked_add(data).ok_or(WireError::Bounds)?;
        let output = desk.output(end)?;
        output.write(0, &self.description)?;
        let mut used = 0;
        for response in results.iter().flatten() {
            for (_, tensor) in &response.outputs {
                let offset = place(&mut used, tensor.data().len()).ok_or(WireError::Bounds)?;
                output.write(start + offset, tensor.data())?;
            }
        }
        Ok((len, data))
    }

    /// Writes that the answer finds no room.
    pub(super) fn refuse(
        &mut self,
        desk: &mut Desk,
        requests: usize,
        error: &ChannelError,
    ) -> Result<(usize, usize), ChannelError> {
        let mut writer = AnswerWriter::new(&mut self.description);
        let message = error.to_string();
        for _ in 0..requests {
            writer.failed(Code::Unavailable, &message);
        }
        let output = desk.output(self.description.len())?;
        output.write(0, &self.description)?;
        Ok((self.description.len(), 0))
    }

    fn describe(&mut self, results: &[Result<Response, Error>]) -> Result<usize, WireError> {
        let mut writer = AnswerWriter::new(&mut self.description);
        let mut used = 0;
        for result in results {
            let response = match result {
                Ok(response) => response,
                Err(error) => {
                    writer.failed(code(error.status()), &error.to_string());
                    continue;
                }
            };
            writer.outputs(response.outputs.len());
            for (output, tensor) in &response.outputs {
                let len = tensor.data().len();
                let offset = place(&mut used, len).ok_or(WireError::Bounds)?;
                let part = Part {
                    output: *output,
                    region: Region { offset, len },
                };
                let dims = tensor.shape().iter();
                writer.output(
                    part,
                    dims.map(|&dim| i64::try_from(dim).unwrap_or(i64::MAX)),
                );
            }
        }
        Ok(used)
    }
}
