use pytriton_protocol::tensor::DataType;
use serde_json::{Value, json};

use super::components::{described, reference, scalar};

/// Returns the schemas that models share.
pub(super) fn schemas() -> [(&'static str, Value); 14] {
    let text = || json!({ "type": "string" });
    let truth = || json!({ "type": "boolean" });
    let count = || json!({ "type": "integer", "minimum": 0 });
    let texts = || json!({ "type": "array", "items": text() });
    let sizes = || json!({ "type": "array", "items": count() });
    let datatype = || {
        let names = DataType::ALL.map(DataType::name);
        json!({ "type": "string", "enum": names })
    };
    let list = |name| json!({ "type": "array", "items": reference(name) });
    let object = |required: &[&str], properties: Value| json!({ "type": "object", "required": required, "properties": properties });
    let region = || {
        json!({
            "shared_memory_region": text(),
            "shared_memory_byte_size": count(),
            "shared_memory_offset": count(),
        })
    };
    let binary = "The size of the elements in bytes. The elements follow the JSON in the order of the inputs or outputs.";
    let mut request = object(
        &[],
        json!({
            "sequence_id": described(json!({ "type": ["integer", "string"] }), "The sequence that the request belongs to."),
            "sequence_start": truth(),
            "sequence_end": truth(),
            "priority": described(count(), "The priority level of the request; 1 is the highest."),
            "timeout": described(count(), "The queue timeout of the request, in microseconds."),
            "binary_data_output": described(truth(), "Whether the outputs follow the JSON in binary form."),
        }),
    );
    request["additionalProperties"] = scalar();
    let mut elsewhere = object(
        &["name", "datatype", "shape", "parameters"],
        json!({
            "name": text(),
            "datatype": datatype(),
            "shape": sizes(),
            "parameters": { "anyOf": [reference("BinaryData"), reference("SharedMemory")] },
        }),
    );
    elsewhere["not"] = json!({ "required": ["data"] });
    let mut written = object(
        &["name", "datatype", "shape"],
        json!({
            "name": text(),
            "datatype": datatype(),
            "shape": sizes(),
            "parameters": reference("BinaryData"),
        }),
    );
    written["not"] = json!({ "required": ["data"] });
    let mut wanted = region();
    wanted["binary_data"] = described(
        truth(),
        "Whether the output follows the JSON in binary form.",
    );
    wanted["classification"] = described(
        count(),
        "The number of the largest elements to return, as classes.",
    );
    let class = json!({ "type": "string", "pattern": "^[^:]+:[0-9]+(:.*)?$" });
    [
        ("Error", object(&["error"], json!({ "error": text() }))),
        ("RequestParameters", request),
        (
            "AnswerParameters",
            json!({ "type": "object", "additionalProperties": scalar() }),
        ),
        (
            "BinaryData",
            object(
                &["binary_data_size"],
                json!({ "binary_data_size": described(count(), binary) }),
            ),
        ),
        (
            "SharedMemory",
            object(
                &["shared_memory_region", "shared_memory_byte_size"],
                region(),
            ),
        ),
        ("OutputParameters", object(&[], wanted)),
        (
            "InputElsewhere",
            described(
                elsewhere,
                "An input whose elements follow the JSON or are in shared memory.",
            ),
        ),
        (
            "OutputElsewhere",
            described(
                written,
                "An output whose elements follow the JSON or are in shared memory.",
            ),
        ),
        (
            "OutputClasses",
            described(
                object(
                    &["name", "datatype", "shape", "data"],
                    json!({
                        "name": text(),
                        "datatype": { "type": "string", "const": "BYTES", "default": "BYTES" },
                        "shape": sizes(),
                        "data": { "type": "array", "items": class },
                    }),
                ),
                "The largest elements of an output with `classification`, as `value:index` or `value:index:label`.",
            ),
        ),
        (
            "ServerMetadata",
            object(
                &["name", "version", "extensions"],
                json!({ "name": text(), "version": text(), "extensions": texts() }),
            ),
        ),
        (
            "TensorMetadata",
            object(
                &["name", "datatype", "shape"],
                json!({
                    "name": text(),
                    "datatype": datatype(),
                    "shape": described(
                        json!({ "type": "array", "items": { "type": "integer" } }),
                        "Includes the batch axis, if there is one; -1 is any size.",
                    ),
                }),
            ),
        ),
        (
            "ModelMetadata",
            object(
                &["name", "platform", "inputs", "outputs"],
                json!({
                    "name": text(),
                    "versions": texts(),
                    "platform": text(),
                    "inputs": list("TensorMetadata"),
                    "outputs": list("TensorMetadata"),
                }),
            ),
        ),
        (
            "Statistics",
            object(
                &["model_stats"],
                json!({ "model_stats": { "type": "array", "items": object(
                    &["name", "version", "last_inference", "inference_count", "execution_count"],
                    json!({
                        "name": text(),
                        "version": text(),
                        "last_inference": described(count(), "The time in milliseconds since 1970."),
                        "inference_count": count(),
                        "execution_count": count(),
                        "inference_stats": { "type": "object" },
                        "batch_stats": { "type": "array", "items": { "type": "object" } },
                    }),
                ) } }),
            ),
        ),
        (
            "RepositoryIndex",
            json!({ "type": "array", "items": object(
                &["name"],
                json!({ "name": text(), "version": text(), "state": text(), "reason": text() }),
            ) }),
        ),
    ]
}
