use std::ffi::CStr;

use crate::channel::{TensorNames, place};
use crate::failure::Failure;
use crate::ffi::{Input, Request, Requests, Value};
use crate::wire::{BatchWriter, Parameter, Region};

/// How the tensors of a batch are gathered: what describes it, and where each input goes.
#[derive(Debug, Default)]
pub struct Gathering {
    description: Vec<u8>,
    regions: Vec<Region>,
    data: usize,
    rows: u64,
}

impl Gathering {
    /// Looks at a batch.
    ///
    /// # Errors
    ///
    /// A [`Failure`] when a request does not go with the model, or the batch is larger than memory.
    pub fn plan(&mut self, requests: Requests<'_>, names: &TensorNames) -> Result<(), Failure> {
        self.regions.clear();
        self.regions.resize(names.inputs.len(), Region::default());
        self.rows = 0;
        let inputs = names.inputs.len();
        let mut writer = BatchWriter::new(&mut self.description, inputs, requests.len());
        for request in requests.iter() {
            let rows = describe(request, names, &mut writer, &mut self.regions)?;
            self.rows += if names.batching { rows } else { 1 };
        }
        self.data = 0;
        for (input, region) in self.regions.iter_mut().enumerate() {
            region.offset = place(&mut self.data, region.len).ok_or_else(too_large)?;
            writer.region(input, *region);
        }
        Ok(())
    }

    /// The description of the batch.
    pub fn description(&self) -> &[u8] {
        &self.description
    }

    /// The bytes of all tensors, with what lies between them.
    pub fn data(&self) -> usize {
        self.data
    }

    /// The rows of all requests.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Copies every input's bytes to where they go, from the first place to the last.
    ///
    /// # Errors
    ///
    /// A [`Failure`] of Triton's or of `write`.
    pub fn gather(
        &self,
        requests: Requests<'_>,
        names: &TensorNames,
        mut write: impl FnMut(usize, &[u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        for (number, region) in self.regions.iter().enumerate() {
            let mut place = *region;
            for request in requests.iter() {
                for index in 0..request.input_count()? {
                    let input = request.input(index)?;
                    if self::number(&input, names)? == number {
                        copy(&input, &mut place, &mut write)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Copies an input to the start of `place`, of which the rest is left.
fn copy(
    input: &Input<'_>,
    place: &mut Region,
    write: &mut impl FnMut(usize, &[u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut left = length(input)?;
    for buffer in input.buffers() {
        let buffer = buffer?;
        // Compared with the plan too, in case that Triton does not say the same twice.
        if buffer.len() > left || buffer.len() > place.len {
            return Err(Failure::internal("an input's buffers are larger than it"));
        }
        write(place.offset, buffer)?;
        place.offset += buffer.len();
        place.len -= buffer.len();
        left -= buffer.len();
    }
    if left > 0 {
        return Err(Failure::internal("an input's buffers are smaller than it"));
    }
    Ok(())
}

/// Writes a request and adds the lengths of its inputs; returns its rows.
fn describe(
    request: Request<'_>,
    names: &TensorNames,
    writer: &mut BatchWriter<'_>,
    regions: &mut [Region],
) -> Result<u64, Failure> {
    writer.request(&request.id()?, request.timeout()?);
    let parameters = request.parameter_count()?;
    writer.count(parameters as usize);
    for index in 0..parameters {
        let (name, value) = request.parameter(index)?;
        let value = match &value {
            Value::String(text) => Parameter::String(text),
            Value::Int64(value) => Parameter::Int64(*value),
            Value::Bool(value) => Parameter::Bool(*value),
            Value::Double(value) => Parameter::Double(*value),
        };
        writer.parameter(&name, value);
    }
    let outputs = request.output_count()?;
    writer.count(outputs as usize);
    for index in 0..outputs {
        let name = request.output(index)?;
        let mut known = names.outputs.iter();
        let output = known.position(|(known, _)| known.as_c_str() == name);
        writer.output(output.ok_or_else(|| unknown(name))?);
    }
    let inputs = request.input_count()?;
    writer.count(inputs as usize);
    let mut rows = 1;
    for index in 0..inputs {
        let input = request.input(index)?;
        let number = number(&input, names)?;
        let len = length(&input)?;
        writer.input(number, len, input.dims);
        let region = &mut regions[number];
        region.len = region.len.checked_add(len).ok_or_else(too_large)?;
        let first = input.dims.first().copied().unwrap_or(1);
        rows = u64::try_from(first).unwrap_or(1);
    }
    Ok(rows)
}

fn number(input: &Input<'_>, names: &TensorNames) -> Result<usize, Failure> {
    let mut known = names.inputs.iter();
    known
        .position(|known| known.as_c_str() == input.name)
        .ok_or_else(|| unknown(input.name))
}

fn length(input: &Input<'_>) -> Result<usize, Failure> {
    usize::try_from(input.len).map_err(|_| too_large())
}

fn unknown(name: &CStr) -> Failure {
    let name = name.to_string_lossy();
    Failure::internal(format!("the model has no tensor '{name}'"))
}

fn too_large() -> Failure {
    Failure::internal("the batch is larger than memory")
}
