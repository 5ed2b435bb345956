use super::{Reader, WireError, Writer};

/// A batch as the worker reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch<'a> {
    /// Where the tensors of each input lie, all requests' together.
    pub regions: Vec<Region>,
    /// The requests, in their order.
    pub requests: Vec<BatchRequest<'a>>,
}

/// Where bytes lie in the tensors' part of a segment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Region {
    /// The first byte.
    pub offset: usize,
    /// How many.
    pub len: usize,
}

/// A request of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchRequest<'a> {
    /// The client's id.
    pub id: &'a str,
    /// How long it may wait, in microseconds.
    pub timeout: u64,
    /// Its parameters and forwarded headers.
    pub parameters: Vec<(&'a str, Parameter<'a>)>,
    /// The outputs it asks for, by number.
    pub outputs: Vec<usize>,
    /// Its inputs.
    pub inputs: Vec<InputPart>,
}

/// The value of a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Parameter<'a> {
    /// A text.
    String(&'a str),
    /// An integer.
    Int64(i64),
    /// A boolean.
    Bool(bool),
    /// A floating-point number.
    Double(f64),
}

/// A request's part of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputPart {
    /// The input, by number.
    pub input: usize,
    /// Where its bytes lie.
    pub region: Region,
    /// Its dimensions.
    pub dims: Vec<usize>,
}

/// The fewest bytes of a request: id, timeout, three empty lists.
const LEAST_REQUEST: usize = 4 + 8 + 3 * 4;

impl<'a> Batch<'a> {
    /// Reads a batch whose tensors are `data` bytes together.
    ///
    /// # Errors
    ///
    /// A [`WireError`] when the bytes are no description of a batch with `inputs` inputs and `outputs` outputs.
    pub fn read(
        bytes: &'a [u8],
        data: usize,
        inputs: usize,
        outputs: usize,
    ) -> Result<Self, WireError> {
        let mut reader = Reader::new(bytes);
        let regions = reader.list(16, |reader| region(reader, data))?;
        if regions.len() != inputs {
            return Err(WireError::Number);
        }
        // How much of each input the requests have taken so far.
        let mut taken = vec![0_usize; inputs];
        let requests = reader.list(LEAST_REQUEST, |reader| {
            request(reader, &regions, &mut taken, outputs)
        })?;
        let whole = regions
            .iter()
            .zip(&taken)
            .all(|(region, &taken)| region.len == taken);
        if !whole || !reader.is_empty() {
            return Err(WireError::Number);
        }
        Ok(Self { regions, requests })
    }
}

fn region(reader: &mut Reader<'_>, data: usize) -> Result<Region, WireError> {
    let (offset, len) = (reader.size()?, reader.size()?);
    match offset.checked_add(len) {
        Some(end) if end <= data => Ok(Region { offset, len }),
        _ => Err(WireError::Bounds),
    }
}

fn request<'a>(
    reader: &mut Reader<'a>,
    regions: &[Region],
    taken: &mut [usize],
    outputs: usize,
) -> Result<BatchRequest<'a>, WireError> {
    Ok(BatchRequest {
        id: reader.text()?,
        timeout: reader.u64()?,
        parameters: reader.list(6, |reader| Ok((reader.text()?, parameter(reader)?)))?,
        outputs: reader.list(4, |reader| match reader.u32()? as usize {
            output if output < outputs => Ok(output),
            _ => Err(WireError::Number),
        })?,
        inputs: reader.list(16, |reader| input(reader, regions, taken))?,
    })
}

fn parameter<'a>(reader: &mut Reader<'a>) -> Result<Parameter<'a>, WireError> {
    match reader.u8()? {
        0 => reader.text().map(Parameter::String),
        1 => reader.i64().map(Parameter::Int64),
        2 => reader.u8().map(|byte| Parameter::Bool(byte != 0)),
        3 => reader
            .u64()
            .map(|bits| Parameter::Double(f64::from_bits(bits))),
        _ => Err(WireError::Number),
    }
}

fn input(
    reader: &mut Reader<'_>,
    regions: &[Region],
    taken: &mut [usize],
) -> Result<InputPart, WireError> {
    let input = reader.u32()? as usize;
    let len = reader.size()?;
    let (Some(region), Some(taken)) = (regions.get(input), taken.get_mut(input)) else {
        return Err(WireError::Number);
    };
    let end = taken.checked_add(len).filter(|&end| end <= region.len);
    let part = Region {
        // Not beyond the region's end, which fits.
        offset: region.offset + *taken,
        len,
    };
    *taken = end.ok_or(WireError::Bounds)?;
    let dims = reader.list(8, Reader::size)?;
    Ok(InputPart {
        input,
        region: part,
        dims,
    })
}

/// Writes a batch, in the order of its methods: regions, and for each request its head, parameters, outputs, inputs.
#[derive(Debug)]
pub struct BatchWriter<'a>(Writer<'a>);

impl<'a> BatchWriter<'a> {
    /// Begins a batch of `requests` requests of a model with `inputs` inputs.
    pub fn new(bytes: &'a mut Vec<u8>, inputs: usize, requests: usize) -> Self {
        bytes.clear();
        let mut writer = Writer(bytes);
        writer.count(inputs);
        for _ in 0..2 * inputs {
            writer.u64(0);
        }
        writer.count(requests);
        Self(writer)
    }

    /// Begins a request.
    pub fn request(&mut self, id: &str, timeout: u64) {
        self.0.bytes(id.as_bytes());
        self.0.u64(timeout);
    }

    /// How many parameters, outputs or inputs follow.
    pub fn count(&mut self, count: usize) {
        self.0.count(count);
    }

    /// A parameter of the request.
    pub fn parameter(&mut self, name: &str, value: Parameter<'_>) {
        self.0.bytes(name.as_bytes());
        match value {
            Parameter::String(text) => {
                self.0.u8(0);
                self.0.bytes(text.as_bytes());
            }
            Parameter::Int64(value) => {
                self.0.u8(1);
                self.0.i64(value);
            }
            Parameter::Bool(value) => {
                self.0.u8(2);
                self.0.u8(value.into());
            }
            Parameter::Double(value) => {
                self.0.u8(3);
                self.0.u64(value.to_bits());
            }
        }
    }

    /// An output that the request asks for.
    pub fn output(&mut self, output: usize) {
        self.0.count(output);
    }

    /// An input of the request.
    pub fn input(&mut self, input: usize, len: usize, dims: &[i64]) {
        self.0.count(input);
        self.0.u64(len as u64);
        self.0.dims(dims);
    }

    /// Says, when all requests are written, where the tensors of an input lie.
    pub fn region(&mut self, input: usize, region: Region) {
        let at = 4 + 16 * input;
        if let Some(bytes) = self.0.0.get_mut(at..at + 16) {
            bytes[..8].copy_from_slice(&(region.offset as u64).to_le_bytes());
            bytes[8..].copy_from_slice(&(region.len as u64).to_le_bytes());
        }
    }
}
