use std::fmt;

use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::text::excerpt;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::error::CodecError;
use crate::json::{Bounds, Key, List, Object, ReadError, Value, not_finite, parse, twice};

/// The members of an inference request. Only the structure has been parsed.
#[derive(Debug, Default)]
pub(super) struct Envelope<'a> {
    pub(super) id: Option<&'a RawValue>,
    pub(super) parameters: Option<&'a RawValue>,
    pub(super) inputs: Option<Vec<InputMembers<'a>>>,
    pub(super) outputs: Option<Vec<OutputMembers<'a>>>,
}

/// The `name`, `datatype`, `shape`, `data` and `parameters` of an input.
pub(super) type InputMembers<'a> = [Option<&'a RawValue>; 5];
/// The `name` and `parameters` of an output.
pub(super) type OutputMembers<'a> = [Option<&'a RawValue>; 2];

const MEMBERS: [&str; 4] = ["id", "parameters", "inputs", "outputs"];
const INPUTS: List<5> = List {
    noun: "'inputs' to be an array",
    item: Object {
        noun: "an input to be an object",
        names: ["name", "datatype", "shape", "data", "parameters"],
    },
};
const OUTPUTS: List<2> = List {
    noun: "'outputs' to be an array",
    item: Object {
        noun: "an output to be an object",
        names: ["name", "parameters"],
    },
};

impl<'a> Envelope<'a> {
    pub(super) fn parse(header: &'a [u8], permit: &mut MemoryPermit) -> Result<Self, CodecError> {
        let text = std::str::from_utf8(header).map_err(|error| CodecError::Json {
            message: excerpt(&error),
        })?;
        read(text, permit).map_err(|error| match error {
            ReadError::Budget(error) => error.into(),
            ReadError::Json(error) => explain(text, &error, permit),
        })
    }
}

/// Finds the input that contains `NaN` or `Infinity`, which Triton accepts but JSON does not have.
fn explain(text: &str, error: &serde_json::Error, permit: &mut MemoryPermit) -> CodecError {
    let mut in_input = || {
        // The text is copied.
        permit.grow(text.len()).ok()?;
        let (at, token, repaired) = not_finite(text)?;
        let envelope = read(&repaired, permit).ok()?;
        let start = repaired.as_ptr() as usize;
        let holds = |data: &RawValue| {
            let from = data.get().as_ptr() as usize - start;
            (from..from + data.get().len()).contains(&at)
        };
        let input = envelope
            .inputs?
            .into_iter()
            .find(|[_, _, _, data, _]| data.is_some_and(holds))?;
        let [Some(name), ..] = input else { return None };
        Some(CodecError::NotFinite {
            input: excerpt(&Value::new(name).string()?),
            token,
        })
    };
    in_input().unwrap_or_else(|| CodecError::Json {
        message: excerpt(&error),
    })
}

fn read<'a>(text: &'a str, permit: &mut MemoryPermit) -> Result<Envelope<'a>, ReadError> {
    let mut bounds = Bounds::new(text, permit)?;
    parse(text, EnvelopeSeed(&mut bounds)).map_err(|error| bounds.error(error))
}

struct EnvelopeSeed<'b, 'p>(&'b mut Bounds<'p>);

impl<'de> DeserializeSeed<'de> for EnvelopeSeed<'_, '_> {
    type Value = Envelope<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for EnvelopeSeed<'_, '_> {
    type Value = Envelope<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the request to be an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut envelope = Envelope::default();
        while let Some(index) = map.next_key_seed(Key(&MEMBERS))? {
            let again = match index {
                Some(0) => envelope.id.replace(map.next_value()?).is_some(),
                Some(1) => envelope.parameters.replace(map.next_value()?).is_some(),
                Some(2) => envelope
                    .inputs
                    .replace(map.next_value_seed(INPUTS.within(self.0))?)
                    .is_some(),
                Some(3) => envelope
                    .outputs
                    .replace(map.next_value_seed(OUTPUTS.within(self.0))?)
                    .is_some(),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    false
                }
            };
            if again {
                return Err(twice(index.map_or("", |index| MEMBERS[index])));
            }
        }
        Ok(envelope)
    }
}
