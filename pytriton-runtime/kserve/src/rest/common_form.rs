use std::str::from_utf8;

use bytemuck::NoUninit;
use bytes::Bytes;
use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::model::ModelSpec;
use pytriton_core::request::{InferInput, InferRequest};
use pytriton_protocol::tensor::DataType;

use crate::json::{Bounded, Limit};

use super::cursor::Cursor;
use super::decimal::FromDecimal;

/// The maximum number of dimensions of an input on this path. Longer shapes are left to the general
/// decoder, which limits those of all inputs together.
const DIMS: Limit = Limit::new(64, "dimensions");

/// Most inputs have at most this many dimensions.
const USUAL_DIMS: usize = 4;

/// Decodes a request in the most common form into an empty one: an ID, and inputs of numbers
/// without nesting.
///
/// Returns `None` if the request has another form, is invalid, or if its memory cannot be reserved.
/// The general decoder then decodes it and reports errors. The reservation has grown in both cases.
pub(super) fn decode_common_form(
    json: &[u8],
    model: &ModelSpec,
    max_depth: usize,
    request: &mut InferRequest,
) -> Option<()> {
    let mut json = Cursor(json);
    let permit = &mut request.memory;
    let (mut id, mut inputs) = (None, None);
    json.members(|json, member| match member {
        b"id" => put(&mut id, from_utf8(json.text()?).ok()?),
        b"inputs" => put(&mut inputs, json.inputs(model, permit)?),
        _ => None,
    })?;
    json.blanks();
    if !json.0.is_empty() || max_depth == 0 {
        return None;
    }
    request.inputs = inputs?;
    let id = id.unwrap_or_default();
    request.memory.grow(id.len()).ok()?;
    id.clone_into(&mut request.id);
    Some(())
}

/// Sets a member. Returns `None` if it was set before.
fn put<T>(place: &mut Option<T>, value: T) -> Option<()> {
    place.replace(value).is_none().then_some(())
}

/// Returns the name of an input of the model.
fn known_name<'m>(model: &'m ModelSpec, name: &[u8]) -> Option<&'m str> {
    let mut names = model.inputs.iter().map(|input| &*input.name);
    names.find(|known| known.as_bytes() == name)
}

/// Returns a datatype whose elements are read here.
fn number_type(name: &[u8]) -> Option<DataType> {
    Some(match name {
        b"FP32" => DataType::Fp32,
        b"FP64" => DataType::Fp64,
        b"INT32" => DataType::Int32,
        b"INT64" => DataType::Int64,
        _ => return None,
    })
}

impl Cursor<'_> {
    fn inputs(&mut self, model: &ModelSpec, permit: &mut MemoryPermit) -> Option<Vec<InferInput>> {
        // A request with more inputs than the model is refused by the general decoder.
        let limit = Limit::new(model.inputs.len(), "inputs");
        let mut inputs = Bounded::with_capacity(limit, limit.items, permit).ok()?;
        self.items(|json| {
            let input = json.input(model, permit)?;
            inputs.push(input, permit).ok()
        })?;
        Some(inputs.into_items())
    }

    fn input(&mut self, model: &ModelSpec, permit: &mut MemoryPermit) -> Option<InferInput> {
        let (mut name, mut datatype, mut shape, mut data) = (None, None, None, None);
        self.members(|json, member| match member {
            b"name" => put(&mut name, known_name(model, json.text()?)?),
            b"datatype" => put(&mut datatype, number_type(json.text()?)?),
            b"shape" => put(&mut shape, json.shape(permit)?),
            // Data that precedes its type cannot be parsed here.
            b"data" => put(&mut data, json.data(datatype?, shape.as_deref()?, permit)?),
            _ => None,
        })?;
        let shape = shape?;
        // Such a batch is refused regardless of its data.
        let empty = model.batching() && matches!(shape[..], [] | [0, ..]);
        let name = name?;
        permit.grow(name.len()).ok()?;
        (!empty).then_some(InferInput {
            name: name.to_owned(),
            datatype: datatype?,
            shape,
            data: data?,
        })
    }

    fn shape(&mut self, permit: &mut MemoryPermit) -> Option<Vec<i64>> {
        let mut shape = Bounded::with_capacity(DIMS, USUAL_DIMS, permit).ok()?;
        self.items(|json| {
            let dim = i64::from_decimal(json.number()?)?;
            shape.push(dim, permit).ok()
        })?;
        Some(shape.into_items())
    }

    fn data(
        &mut self,
        datatype: DataType,
        shape: &[i64],
        permit: &mut MemoryPermit,
    ) -> Option<Bytes> {
        let mut count = 1_usize;
        for dim in shape {
            count = count.checked_mul(usize::try_from(*dim).ok()?)?;
        }
        match datatype {
            DataType::Fp32 => self.elements::<f32>(count, permit),
            DataType::Fp64 => self.elements::<f64>(count, permit),
            DataType::Int32 => self.elements::<i32>(count, permit),
            DataType::Int64 => self.elements::<i64>(count, permit),
            _ => None,
        }
    }

    fn elements<T: FromDecimal + NoUninit>(
        &mut self,
        count: usize,
        permit: &mut MemoryPermit,
    ) -> Option<Bytes> {
        // An element takes at least two bytes of text, so that the shape alone cannot claim memory.
        let most = count.min(self.0.len() / 2 + 1);
        let bytes = count.checked_mul(size_of::<T>())?;
        let capacity = most.checked_mul(size_of::<T>())?;
        permit.grow(capacity).ok()?;
        // Memory from the allocator is usually aligned for all element types.
        let mut elements = Vec::with_capacity(capacity);
        self.items(|json| {
            let element = T::from_decimal(json.number()?)?;
            if elements.len() == bytes {
                return None;
            }
            elements.extend_from_slice(bytemuck::bytes_of(&element));
            Some(())
        })?;
        (elements.len() == bytes).then(|| Bytes::from(elements))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pytriton_core::memory_budget::MemoryBudget;
    use pytriton_core::received_body::ReceivedBody;
    use pytriton_core::shared_memory::Regions;
    use pytriton_core::testing::IDENTITY;

    use crate::rest::decode_request;
    use crate::rest::request::decode_members;

    use super::*;

    const COMMON: [&str; 8] = [
        r#"{"inputs":[{"name":"a","shape":[6],"datatype":"FP32","data":[16777216,16777217,0.16777217e-2,1e11,1e10,340282350000000000000000000000000000000]}]}"#,
        r#"{"inputs":[{"name":"a","shape":[6],"datatype":"FP64","data":[9007199254740993,0.1e-21,12345678901234567890123,1e23,-0.0,5e-324]}]}"#,
        r#"{"inputs":[{"name":"INPUT_1","datatype":"FP32","shape":[1,4],"data":[1.0,2.5e-3,-0,4]}]}"#,
        r#" { "id" : "a b", "inputs" : [ { "name" : "x" , "shape" : [ 2 , 1 ], "datatype":"INT64", "data":[ -7 , 0 ] } ] } "#,
        r#"{"inputs":[{"name":"a","shape":[1],"datatype":"FP64","data":[1E+5]},{"name":"b","shape":[1],"datatype":"INT32","data":[7]}],"id":""}"#,
        r#"{"inputs":[{"name":"a","shape":[1,2],"datatype":"FP32","data":[[1,2]]}],"outputs":[{"name":"o"}]}"#,
        r#"{"inputs":[{"name":"a","shape":[1,1],"datatype":"BYTES","data":["x"]}],"parameters":{"p":1}}"#,
        r#"{"inputs":[{"name":"a","shape":[0,1],"datatype":"FP32","data":[1]}]}"#,
    ];

    /// A model with all inputs of the requests.
    fn model() -> ModelSpec {
        let mut spec = IDENTITY.spec().unwrap();
        let input = spec.inputs[0].clone();
        let names = ["INPUT_1", "a", "b", "x"];
        let inputs = names.map(|name| {
            let mut input = input.clone();
            input.name = name.into();
            input
        });
        spec.inputs = inputs.into();
        spec
    }

    fn check(text: &[u8]) -> bool {
        let spec = model();
        let empty = || InferRequest::new(MemoryPermit::unlimited());
        let (mut brief, mut request) = (empty(), empty());
        if decode_common_form(text, &spec, 100, &mut brief).is_none() {
            return false;
        }
        let regions = Regions::default();
        decode_members(text, Bytes::new(), &spec, 100, &regions, &mut request).unwrap();
        assert_eq!((brief.id, brief.inputs), (request.id, request.inputs));
        assert!(brief.outputs.is_empty() && request.outputs.is_empty());
        assert!(request.parameters.is_empty());
        true
    }

    #[test]
    fn long_requests_use_the_fast_path() {
        let spec = model();
        let numbers = vec!["-1.5e-3"; 10_000].join(", ");
        for end in [
            "]}]}",
            " ] } ] }\n",
            r#"]}],"id":"7"}"#,
            r#"]}],"outputs":[]}"#,
        ] {
            let text = format!(
                r#"{{"inputs":[{{"name":"x","datatype":"FP32","shape":[1,10000],"data":[{numbers}{end}"#
            );
            let body = Bytes::from(text);
            let (length, regions) = (body.len(), Regions::default());
            let body = ReceivedBody::new(body, MemoryPermit::unlimited()).unwrap();
            let (request, _) = decode_request(body, length, &spec, 100, &regions).unwrap();
            assert_eq!(request.inputs[0].data.len(), 40_000, "{end}");
        }
    }

    #[test]
    fn only_common_requests_use_the_fast_path() {
        let read = COMMON.map(|text| check(text.as_bytes()));
        assert_eq!(read, [true, true, true, true, true, false, false, false]);
    }

    #[test]
    fn more_inputs_and_dimensions_than_usual_are_left_to_the_general_decoder() {
        let spec = model();
        let input = |dims: usize| {
            let dims = vec!["1"; dims].join(",");
            format!(r#"{{"name":"a","datatype":"FP32","shape":[{dims}],"data":[1]}}"#)
        };
        let limit = spec.inputs.len();
        for (inputs, dims, fits) in [
            (limit, DIMS.items, true),
            (limit + 1, 1, false),
            (1, DIMS.items + 1, false),
        ] {
            let inputs = vec![input(dims); inputs].join(",");
            let text = format!(r#"{{"inputs":[{inputs}]}}"#);
            let mut request = InferRequest::new(MemoryPermit::unlimited());
            let read = decode_common_form(text.as_bytes(), &spec, 100, &mut request);
            assert_eq!(read.is_some(), fits, "{text}");
        }
    }

    #[test]
    fn decoded_memory_is_reserved() {
        let spec = model();
        let names = ["INPUT_1", "a", "b", "x"];
        for count in 1..=names.len() {
            for elements in [1, 112, 600] {
                let data = vec!["1"; elements].join(",");
                let inputs = names[..count].iter().map(|name| {
                    format!(
                        r#"{{"name":"{name}","datatype":"FP64","shape":[1,{elements}],"data":[{data}]}}"#
                    )
                });
                let inputs: Vec<_> = inputs.collect();
                let id = "x".repeat(50);
                let text = format!(r#"{{"id":"{id}","inputs":[{}]}}"#, inputs.join(","));
                let budget = MemoryBudget::new(usize::MAX);
                let mut request = InferRequest::new(budget.empty_permit());
                decode_common_form(text.as_bytes(), &spec, 100, &mut request).unwrap();
                // Each input may be below the size that is tracked.
                assert!(
                    request.memory.bytes() >= request.bytes(),
                    "{count} {elements}"
                );
                let small = MemoryBudget::new(budget.reserved().saturating_sub(1));
                let mut refused = InferRequest::new(small.empty_permit());
                let fits = decode_common_form(text.as_bytes(), &spec, 100, &mut refused);
                assert_eq!(fits.is_none(), budget.reserved() > 0, "{count} {elements}");
            }
        }
    }

    #[test]
    fn fallback_reserves_the_request_once() {
        let spec = model();
        let data = vec!["1"; 1000].join(",");
        let text = format!(
            r#"{{"inputs":[{{"name":"a","datatype":"FP64","shape":[1,1000],"data":[{data}]}}],"outputs":[]}}"#
        );
        let (body, regions) = (Bytes::from(text), Regions::default());
        let budget = MemoryBudget::new(usize::MAX);
        let received = || ReceivedBody::new(body.clone(), budget.empty_permit()).unwrap();
        let (_, mut alone) = received().into_request();
        decode_members(&body, Bytes::new(), &spec, 100, &regions, &mut alone).unwrap();
        let (request, _) = decode_request(received(), body.len(), &spec, 100, &regions).unwrap();
        assert_eq!(request.memory.bytes(), alone.memory.bytes());
    }

    proptest! {
        #[test]
        fn fast_path_equals_general_decoder(
            which in 0..COMMON.len(),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 0..4),
        ) {
            const LIKELY: &[u8] = b"0123456789.eE+-,:[]{}\" \\aninf_";
            let mut text = COMMON[which].as_bytes().to_vec();
            for (index, byte, kind) in changes {
                let at = index.index(text.len());
                let likely = LIKELY[usize::from(byte) % LIKELY.len()];
                match kind {
                    0 => text[at] = byte,
                    1 => text[at] = likely,
                    2 => text.insert(at, likely),
                    _ => drop(text.remove(at)),
                }
            }
            check(&text);
        }
    }
}
