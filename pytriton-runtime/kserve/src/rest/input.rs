use std::sync::Arc;

use bytes::Bytes;
use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::model::ModelSpec;
use pytriton_core::request::InferInput;
use pytriton_core::shared_memory::{Regions, Section};
use pytriton_core::text::excerpt;
use pytriton_protocol::tensor::DataType;
use serde_json::value::RawValue;

use crate::error::{CodecError, Owner};
use crate::json::{Bounded, CollectionError, Flat, Limit, MAX_ITEMS, Object, Token, Value};

use super::data::JsonData;
use super::envelope::InputMembers;
use super::member::{members_of, missing, mistyped, string};
use super::region::{BYTE_SIZE, OFFSET, REGION, section};

const INPUT_PARAMETERS: Object<4> = Object {
    noun: "an object",
    names: ["binary_data_size", REGION, OFFSET, BYTE_SIZE],
};

/// Decodes inputs in the order of their binary data after the JSON.
#[derive(Debug)]
pub(super) struct InputDecoder<'a> {
    permit: &'a mut MemoryPermit,
    model: &'a ModelSpec,
    max_depth: usize,
    tail: Bytes,
    /// The remaining number of dimensions.
    dims: usize,
    regions: &'a Regions,
    /// Inputs in shared memory, by index.
    shared: Vec<(usize, Section)>,
}

impl<'a> InputDecoder<'a> {
    pub(super) fn new(
        model: &'a ModelSpec,
        max_depth: usize,
        tail: Bytes,
        regions: &'a Regions,
        permit: &'a mut MemoryPermit,
    ) -> Self {
        Self {
            permit,
            model,
            max_depth,
            tail,
            dims: MAX_ITEMS,
            regions,
            shared: Vec::new(),
        }
    }

    /// Checks that all binary data belongs to an input. Returns the inputs in shared memory.
    pub(super) fn finish(self) -> Result<Vec<(usize, Section)>, CodecError> {
        if self.tail.is_empty() {
            return Ok(self.shared);
        }
        Err(CodecError::ExtraBytes {
            model: Arc::clone(&self.model.name),
        })
    }

    pub(super) fn input(
        &mut self,
        index: usize,
        members: &InputMembers<'_>,
    ) -> Result<InferInput, CodecError> {
        let [name, datatype, shape, data, parameters] = *members;
        let item = || Owner::Item("inputs", index);
        let [binary, region, offset, byte_size] = match parameters {
            Some(raw) => members_of(raw, INPUT_PARAMETERS, &item, self.permit)?,
            None => [None; 4],
        };
        check_fields(data, binary, region)?;
        let name = string("name", name.map(Value::new), item, self.permit)?;
        let owner = || Owner::Input(excerpt(&name));
        let datatype = string("datatype", datatype.map(Value::new), owner, self.permit)?;
        let datatype: DataType = datatype.parse().map_err(|()| CodecError::UnknownDataType {
            input: excerpt(&name),
        })?;
        let shape = shape_of(shape, self.dims, &owner, self.permit)?;
        self.dims -= shape.len();
        let data = match (data, binary, region) {
            (Some(data), ..) => self.json(&name, datatype, &shape, data)?,
            (_, Some(size), _) => self.binary(&name, Value::new(size))?,
            (_, _, region) => {
                let section = section(
                    self.regions,
                    [region, offset, byte_size],
                    &owner,
                    self.permit,
                )?;
                self.shared.push((index, section));
                Bytes::new()
            }
        };
        Ok(InferInput {
            name,
            datatype,
            shape,
            data,
        })
    }

    fn json(
        &mut self,
        input: &str,
        datatype: DataType,
        shape: &[i64],
        data: &RawValue,
    ) -> Result<Bytes, CodecError> {
        if !data.get().starts_with('[') {
            return Err(mistyped(
                "data",
                "an array",
                Value::new(data),
                Owner::Input(excerpt(input)),
            ));
        }
        // An empty batch, or one without an axis, is refused when the request is checked,
        // regardless of its data.
        if self.model.batching() && matches!(shape, [] | [0, ..]) {
            return Ok(Bytes::new());
        }
        let data = JsonData {
            input,
            datatype,
            shape,
            text: data.get(),
            max_depth: self.max_depth,
        };
        data.decode(self.permit)
    }

    fn binary(&mut self, input: &str, size: Value<'_>) -> Result<Bytes, CodecError> {
        let expected = size.unsigned().ok_or_else(|| {
            let owner = Owner::Input(excerpt(input));
            mistyped("binary_data_size", "an unsigned integer", size, owner)
        })?;
        let available = self.tail.len();
        match usize::try_from(expected) {
            Ok(size) if size <= available => Ok(self.tail.split_to(size)),
            _ => Err(CodecError::MissingBytes {
                model: Arc::clone(&self.model.name),
                input: excerpt(input),
                missing: expected - available as u64,
            }),
        }
    }
}

fn check_fields(
    data: Option<&RawValue>,
    binary: Option<&RawValue>,
    region: Option<&RawValue>,
) -> Result<(), CodecError> {
    let fields = [
        (data, " 'data'"),
        (binary, " 'binary_data_size'"),
        (region, " 'shared_memory_region'"),
    ];
    let set: Vec<&str> = fields
        .into_iter()
        .filter_map(|(field, name)| field.map(|_| name))
        .collect();
    match set.len() {
        1 => Ok(()),
        0 => Err(CodecError::InputFields {
            set: "no field is set".to_owned(),
        }),
        _ => Err(CodecError::InputFields {
            set: format!("set{}", set.concat()),
        }),
    }
}

fn shape_of(
    shape: Option<&RawValue>,
    most: usize,
    owner: &impl Fn() -> Owner,
    permit: &mut MemoryPermit,
) -> Result<Vec<i64>, CodecError> {
    const EXPECTED: &str = "an array of unsigned integers";
    let shape = shape.ok_or_else(|| missing("shape", EXPECTED, owner()))?;
    let error = |found| CodecError::Member {
        member: "shape".to_owned(),
        of: owner(),
        expected: EXPECTED,
        found,
    };
    if !shape.get().starts_with('[') {
        return Err(error(Value::new(shape).describe()));
    }
    let dim = |token| match token {
        Ok(Token::Plain(text)) => match text.parse::<i64>() {
            Ok(dim) if dim >= 0 => Ok(dim),
            _ => Err(error(excerpt(text))),
        },
        Ok(token) => Err(error(token.describe())),
        Err(_) => Err(error("an array in it".to_owned())),
    };
    let mut dims = Bounded::<Vec<_>>::new(Limit::new(most, "dimensions"));
    for token in Flat::new(shape.get(), 1) {
        dims.push(dim(token)?, permit)
            .map_err(|error| match error {
                CollectionError::Full(_) => CodecError::Dims { limit: MAX_ITEMS },
                CollectionError::Budget(error) => error.into(),
            })?;
    }
    Ok(dims.into_items())
}
