use pytriton_core::model::{ModelSpec, TensorSpec};
use serde_json::{Value, json};

use super::components::{described, reference};
use super::elements::{example, in_json, request_element, response_element};

/// The range of the size of an axis.
#[derive(Debug, Clone, Copy)]
struct Axis {
    min: u64,
    max: Option<u64>,
}

/// Returns the axes of a tensor as clients see them.
fn axes(model: &ModelSpec, tensor: &TensorSpec) -> Vec<Axis> {
    let batch = model.batching().then(|| Axis {
        min: 1,
        max: Some(model.max_batch_size.into()),
    });
    let dims = tensor.dims.iter().map(|dim| {
        let size = u64::try_from(*dim).ok();
        Axis {
            min: size.unwrap_or(0),
            max: size,
        }
    });
    batch.into_iter().chain(dims).collect()
}

/// Returns the schema of an input in a request.
pub(super) fn input(model: &ModelSpec, tensor: &TensorSpec) -> Value {
    let axes = axes(model, tensor);
    let schema = match in_json(tensor.datatype) {
        true => {
            let flat = array(&request_element(tensor.datatype), Some(elements(&axes)));
            let mut forms = vec![flat];
            if axes.len() > 1 {
                let axes = axes.iter().rev();
                forms.push(axes.fold(request_element(tensor.datatype), |inner, axis| {
                    array(&inner, Some(*axis))
                }));
            }
            let mut data = match forms.len() {
                1 => forms.remove(0),
                _ => json!({ "anyOf": forms }),
            };
            if let Some(example) = example(tensor) {
                data["examples"] = json!([example]);
            }
            head(tensor, &axes, ("data", data), true)
        }
        false => {
            let elsewhere =
                json!({ "anyOf": [reference("BinaryData"), reference("SharedMemory")] });
            head(tensor, &axes, ("parameters", elsewhere), true)
        }
    };
    described(schema, &tensor.description)
}

/// Returns the schema of an output in a response.
pub(super) fn output(model: &ModelSpec, tensor: &TensorSpec) -> Value {
    let axes = axes(model, tensor);
    let schema = match in_json(tensor.datatype) {
        true => {
            let data = array(&response_element(tensor.datatype), Some(elements(&axes)));
            head(tensor, &axes, ("data", data), true)
        }
        false => head(
            tensor,
            &axes,
            ("parameters", reference("BinaryData")),
            false,
        ),
    };
    described(schema, &tensor.description)
}

/// Returns the schema of a tensor in the generate extension, which contains only the elements.
pub(super) fn plain(model: &ModelSpec, tensor: &TensorSpec, element: Value) -> Value {
    if !in_json(tensor.datatype) {
        return element;
    }
    let axes = axes(model, tensor);
    let several = elements(&axes);
    // A single element is not wrapped in an array.
    let mut schema = match product(axes.iter().map(|axis| axis.min.max(1))) {
        1 => json!({ "anyOf": [element, array(&element, Some(several))] }),
        _ => array(&element, Some(several)),
    };
    if let Some(example) = example(tensor) {
        schema["examples"] = json!([example]);
    }
    described(schema, &tensor.description)
}

/// Returns the range of the number of elements.
fn elements(axes: &[Axis]) -> Axis {
    let max: Option<Vec<u64>> = axes.iter().map(|axis| axis.max).collect();
    Axis {
        min: product(axes.iter().map(|axis| axis.min)),
        max: max.map(product),
    }
}

fn product(sizes: impl IntoIterator<Item = u64>) -> u64 {
    sizes.into_iter().fold(1, u64::saturating_mul)
}

fn head(
    tensor: &TensorSpec,
    axes: &[Axis],
    (name, elements): (&str, Value),
    always: bool,
) -> Value {
    let mut required = vec!["name", "datatype", "shape"];
    if always {
        required.push(name);
    }
    let datatype = tensor.datatype.name();
    json!({
        "type": "object",
        "required": required,
        "properties": {
            "name": constant(&tensor.name),
            "datatype": constant(datatype),
            "shape": shape(axes),
            name: elements,
        },
    })
}

/// Returns the schema of a constant string.
pub(super) fn constant(text: &str) -> Value {
    json!({ "type": "string", "const": text, "default": text })
}

fn shape(axes: &[Axis]) -> Value {
    let sizes: Vec<Value> = axes
        .iter()
        .map(|axis| {
            let mut size = json!({ "type": "integer", "minimum": axis.min });
            if let Some(max) = axis.max {
                size["maximum"] = max.into();
            }
            size
        })
        .collect();
    json!({
        "type": "array",
        "prefixItems": sizes,
        "items": { "type": "integer" },
        "minItems": axes.len(),
        "maxItems": axes.len(),
    })
}

fn array(items: &Value, axis: Option<Axis>) -> Value {
    let mut schema = json!({ "type": "array", "items": items });
    if let Some(Axis { min, max }) = axis {
        if min > 0 {
            schema["minItems"] = min.into();
        }
        if let Some(max) = max {
            schema["maxItems"] = max.into();
        }
    }
    schema
}
