use pytriton_core::request::{ParameterValue, SequenceId};
use pytriton_protocol::proto::ModelInferRequest;
use pytriton_protocol::proto::infer_parameter::ParameterChoice;
use pytriton_protocol::proto::model_infer_request::InferRequestedOutputTensor;

use super::{parameters, raw, read, refused, string};

#[test]
fn parameters_are_forwarded_except_those_of_the_server() {
    use ParameterChoice::{BoolParam, DoubleParam, Int64Param, Uint64Param};
    let message = ModelInferRequest {
        parameters: parameters(&[
            ("beams", Int64Param(4)),
            ("greedy", BoolParam(true)),
            ("heat", DoubleParam(0.5)),
            ("user", string("x")),
            ("priority", Uint64Param(1)),
            ("sequence_id", string("s")),
            ("sequence_start", BoolParam(true)),
            ("sequence_end", BoolParam(false)),
            ("timeout", Int64Param(7)),
            ("triton_enable_empty_final_response", BoolParam(true)),
        ]),
        ..raw()
    };
    let request = read(message);
    assert_eq!((request.timeout_microseconds, request.priority), (7, 1));
    let sequence = request.sequence.unwrap();
    assert_eq!(*sequence.id(), SequenceId::Text("s".into()));
    assert!(sequence.starts() && !sequence.ends());
    let parameters: Vec<_> = request.parameters.iter().collect();
    let expected = [
        ("beams", &ParameterValue::Int64(4)),
        ("greedy", &ParameterValue::Bool(true)),
        ("heat", &ParameterValue::Double(0.5)),
        ("user", &ParameterValue::String("x".to_owned())),
    ];
    assert_eq!(parameters, expected);
}

#[test]
fn sequence_parameters_are_read() {
    use ParameterChoice::{BoolParam, Int64Param};
    let table = [
        (None, None),
        (Some(Int64Param(0)), None),
        (Some(string("")), None),
        (Some(Int64Param(5)), Some(SequenceId::Number(5))),
        (Some(Int64Param(-1)), Some(SequenceId::Number(u64::MAX))),
        (Some(string("5")), Some(SequenceId::Text("5".into()))),
    ];
    for (id, expected) in table {
        for (start, end) in [(false, false), (true, false), (false, true), (true, true)] {
            let mut all = vec![
                ("sequence_start", BoolParam(start)),
                ("sequence_end", BoolParam(end)),
            ];
            all.extend(id.iter().map(|id| ("sequence_id", id.clone())));
            let request = read(ModelInferRequest {
                parameters: parameters(&all),
                ..raw()
            });
            let got = request.sequence.map(|sequence| {
                assert_eq!((sequence.starts(), sequence.ends()), (start, end));
                sequence.id().clone()
            });
            assert_eq!(got, expected, "{id:?}");
        }
    }
}

#[test]
fn a_priority_may_be_signed() {
    use ParameterChoice::{Int64Param, Uint64Param};
    for (choice, expected) in [(Int64Param(3), 3), (Uint64Param(u64::MAX), u64::MAX)] {
        let request = read(ModelInferRequest {
            parameters: parameters(&[("priority", choice)]),
            ..raw()
        });
        assert_eq!(request.priority, expected);
    }
}

#[test]
fn parameters_of_the_wrong_type_have_tritons_error() {
    use ParameterChoice::{BoolParam, DoubleParam, Int64Param, Uint64Param};
    let table = [
        (
            "sequence_id",
            BoolParam(true),
            "invalid value type for 'sequence_id' parameter, expected int64_param or string_param.",
        ),
        (
            "sequence_id",
            string(&"x".repeat(129)),
            "string correlation ID cannot be longer than 128 characters",
        ),
        (
            "sequence_start",
            Int64Param(1),
            "invalid value type for 'sequence_start' parameter, expected bool_param.",
        ),
        (
            "sequence_end",
            string("x"),
            "invalid value type for 'sequence_end' parameter, expected bool_param.",
        ),
        (
            "priority",
            DoubleParam(1.5),
            "invalid value type for 'priority' parameter, expected int64_param or uint64_param.",
        ),
        (
            "priority",
            Int64Param(-1),
            "invalid value for 'priority', expected value >= 0.",
        ),
        (
            "timeout",
            Uint64Param(3),
            "invalid value type for 'timeout' parameter, expected int64_param.",
        ),
        (
            "triton_x",
            Int64Param(1),
            "parameter keys starting with 'triton_' are reserved for Triton usage. Only the following keys starting with 'triton_' are allowed: triton_enable_empty_final_response",
        ),
        (
            "triton_enable_empty_final_response",
            Int64Param(1),
            "invalid value type for 'triton_enable_empty_final_response' parameter, expected bool_param.",
        ),
        (
            "u",
            Uint64Param(3),
            "invalid value type for 'u' parameter, expected int64_param, bool_param, or string_param.",
        ),
    ];
    for (name, choice, expected) in table {
        let parameters = parameters(&[(name, choice)]);
        assert_eq!(
            refused(ModelInferRequest {
                parameters,
                ..raw()
            }),
            expected
        );
    }
}

#[test]
fn invalid_shared_memory_and_classification_have_tritons_error() {
    use ParameterChoice::Int64Param;
    let region = ("shared_memory_region", string("r"));
    let size = ("shared_memory_byte_size", Int64Param(8));
    let classes = |count| ("classification", Int64Param(count));
    let table = [
        (
            vec![region.clone()],
            "'shared_memory_byte_size' must be specified along with 'shared_memory_region' parameter for tensor 'OUTPUT_1'",
        ),
        (
            vec![region.clone(), size.clone()],
            "Unable to find shared memory region: 'r'",
        ),
        (
            vec![size.clone()],
            "'shared_memory_byte_size' can not be specified without 'shared_memory_region' parameter for tensor 'OUTPUT_1'",
        ),
        (
            vec![("shared_memory_offset", Int64Param(1))],
            "'shared_memory_offset' can not be specified without 'shared_memory_region' parameter for tensor 'OUTPUT_1'",
        ),
        (
            vec![("shared_memory_region", Int64Param(1))],
            "invalid value type for 'shared_memory_region' parameter for tensor 'OUTPUT_1', expected string_param.",
        ),
        (
            vec![region.clone(), ("shared_memory_byte_size", string("x"))],
            "invalid value type for 'shared_memory_byte_size' parameter for tensor 'OUTPUT_1', expected int64_param.",
        ),
        (
            vec![region, size, classes(1)],
            "output can't set both 'shared_memory_region' and 'classification'",
        ),
        (
            vec![classes(0)],
            "invalid value for 'classification' parameter, expected >= 0",
        ),
        (
            vec![("classification", string("x"))],
            "invalid value type for 'classification' parameter, expected int64_param",
        ),
    ];
    for (table, expected) in table {
        let output = InferRequestedOutputTensor {
            name: "OUTPUT_1".to_owned(),
            parameters: parameters(&table),
        };
        assert_eq!(
            refused(ModelInferRequest {
                outputs: vec![output],
                ..raw()
            }),
            expected
        );
    }
}
