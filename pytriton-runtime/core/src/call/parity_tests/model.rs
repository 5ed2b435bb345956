use std::fmt::Debug;
use std::sync::Arc;

use serde_json::Value;

use crate::decorators::{
    ConstantPadder, DefaultValue, FillOptional, GroupByValues, PadBatch, Padder, Step,
};
use crate::model::{CallMode, FirstValue, ModelSpec, TensorSpec};
use crate::tensor::{DataType, Element, Tensor};
use crate::testing::IDENTITY;

use super::tensors::{array, integer, strings, tensor};

/// The model of a case, and its steps.
pub(super) fn model(
    declared: &Value,
    decorators: &Value,
    calls: Option<&Vec<Value>>,
) -> (ModelSpec, Vec<Arc<dyn Step>>) {
    let mut spec = IDENTITY.spec().unwrap();
    spec.inputs = array(&declared["inputs"]).iter().map(input).collect();
    spec.outputs = outputs(&spec.inputs[0], calls);
    spec.max_batch_size = integer(&declared["max_batch_size"]);
    let preferred = array(&declared["preferred_batch_size"]).iter().map(integer);
    if let Some(batching) = &mut spec.batcher {
        batching.preferred_batch_size = preferred.collect();
    }
    spec.call = CallMode::Request;
    let mut steps: Vec<Arc<dyn Step>> = Vec::new();
    for decorator in array(decorators) {
        let keys = decorator.get("keys").map(strings).unwrap_or_default();
        match decorator["name"].as_str().unwrap() {
            "batch" => spec.call = CallMode::Batch,
            // These are applied to every model.
            "sample" | "group_by_keys" => {}
            "first_value" => {
                let strict = decorator.get("strict") != Some(&Value::Bool(false));
                let inputs = keys.iter().map(|key| spec.input_index(key).unwrap());
                let values = inputs.map(|input| FirstValue { input, strict });
                spec.first_values = values.collect();
            }
            "fill_optionals" => {
                let defaults = decorator["defaults"].as_object().unwrap();
                steps.extend(defaults.iter().map(|(input, value)| fill(input, value)));
            }
            "group_by_values" => {
                let step = GroupByValues::new(keys.leak());
                let value = decorator.get("pad_value");
                steps.push(Arc::new(match value {
                    Some(value) => step.pad(padder(value)),
                    None => step,
                }));
            }
            "pad_batch" => steps.push(Arc::new(PadBatch)),
            other => panic!("{other}"),
        }
    }
    (spec, steps)
}

fn input(declared: &Value) -> TensorSpec {
    let dims = array(&declared[2]).iter();
    TensorSpec {
        name: declared[0].as_str().unwrap().into(),
        datatype: declared[1].as_str().unwrap().parse().unwrap(),
        dims: dims.map(|dim| dim.as_i64().unwrap()).collect(),
        optional: declared[3].as_bool().unwrap(),
        description: Arc::default(),
        example: Arc::default(),
    }
}

/// Returns outputs with any dims, as many as the function of the table returned.
fn outputs(first: &TensorSpec, calls: Option<&Vec<Value>>) -> Vec<TensorSpec> {
    let call = calls.and_then(|calls| calls.first());
    let batch_axis =
        usize::from(call.is_some_and(|call| array(&call["outputs"]["row"][1]).len() > 1));
    let rank = call.map_or(first.dims.len(), |call| {
        array(&call["outputs"]["OUTPUT_1"][1]).len() - batch_axis
    });
    let output = |name: &str, datatype, rank| TensorSpec {
        name: name.into(),
        datatype,
        dims: vec![-1; rank],
        optional: false,
        description: Arc::default(),
        example: Arc::default(),
    };
    vec![
        output("OUTPUT_1", first.datatype, rank),
        output("row", DataType::Int64, 1),
    ]
}

fn fill(input: &str, value: &Value) -> Arc<dyn Step> {
    fn step<T: Element + Debug>(input: &'static str, row: &Tensor) -> Arc<dyn Step> {
        let row = Row {
            dims: row.shape().to_vec(),
            elements: row.elements().unwrap().into_owned(),
        };
        Arc::new(FillOptional::<T, Row<T>>::new(input, row))
    }
    let (input, row) = (input.to_owned().leak(), tensor(value));
    match row.datatype() {
        DataType::Bool => step::<bool>(input, &row),
        DataType::Uint8 => step::<u8>(input, &row),
        DataType::Uint16 => step::<u16>(input, &row),
        DataType::Uint32 => step::<u32>(input, &row),
        DataType::Uint64 => step::<u64>(input, &row),
        DataType::Int8 => step::<i8>(input, &row),
        DataType::Int16 => step::<i16>(input, &row),
        DataType::Int32 => step::<i32>(input, &row),
        DataType::Int64 => step::<i64>(input, &row),
        DataType::Fp16 => step::<half::f16>(input, &row),
        DataType::Bf16 => step::<half::bf16>(input, &row),
        DataType::Fp32 => step::<f32>(input, &row),
        DataType::Fp64 => step::<f64>(input, &row),
        DataType::Bytes => step::<Vec<u8>>(input, &row),
    }
}

/// A default value of the table.
#[derive(Debug)]
struct Row<T> {
    dims: Vec<usize>,
    elements: Vec<T>,
}

impl<T: Element + Debug> DefaultValue<T> for Row<T> {
    fn dims(&self) -> Vec<usize> {
        self.dims.clone()
    }

    fn elements(&self, elements: &mut Vec<T>) {
        elements.extend_from_slice(&self.elements);
    }
}

fn padder(value: &Value) -> &'static dyn Padder {
    match value.as_i64() {
        Some(value) => Box::leak(Box::new(ConstantPadder::new(value))),
        None => Box::leak(Box::new(ConstantPadder::new(value.as_f64().unwrap()))),
    }
}
