use pytriton_test_onnx::{OnnxFile, bytes, number};

use super::*;
use crate::{DataType, NameFlaw};

const FLOAT: u64 = OnnxFile::FLOAT;

/// A file with every kind of field that the reader reads.
fn file() -> OnnxFile {
    OnnxFile::new()
        .external_weights("far")
        .weights("w", &[2], &[1.0, 2.0])
        .input("w", FLOAT, "2")
        .input("x", FLOAT, "batch 3 ?")
        .input("ids", OnnxFile::INT64, "batch -1")
        .node("Add", &["x", "w"], &["y"])
        .output("y", FLOAT, "batch 3 length")
}

fn parse(file: &OnnxFile) -> Graph {
    Graph::parse(&file.encode()).unwrap()
}

fn shown(values: &[ValueInfo]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}

#[test]
fn inputs_without_initialisers_and_outputs_are_read() {
    let graph = parse(&file());
    assert_eq!(
        shown(&graph.inputs),
        ["x: FLOAT [batch, 3, ?]", "ids: INT64 [batch, ?]"]
    );
    assert_eq!(shown(&graph.outputs), ["y: FLOAT [batch, 3, length]"]);
    assert!(graph.has_external_data);
    assert!(!parse(&OnnxFile::affine()).has_external_data);
    assert_eq!((graph.opset, &*graph.producer), (17, "pytriton"));
}

#[test]
fn every_type_of_value_is_read() {
    let tensor = |element| bytes(1, number(1, element));
    let table = [
        (Vec::new(), "value without a type"),
        (bytes(2, ""), "value without a type"),
        (bytes(2, tensor(10)), "FLOAT16 of any rank"),
        (bytes(2, tensor(77)), "element type 77 of any rank"),
        (bytes(2, bytes(1, "")), "UNDEFINED of any rank"),
        (bytes(2, bytes(1, bytes(2, ""))), "UNDEFINED []"),
        (bytes(2, bytes(4, "")), "sequence"),
        (bytes(2, bytes(5, "")), "map"),
        (bytes(2, bytes(7, "")), "opaque value"),
        (bytes(2, bytes(8, "")), "sparse tensor"),
        (bytes(2, bytes(9, "")), "optional value"),
        // The denotation does not change the type.
        (bytes(2, [bytes(4, ""), bytes(6, "x")].concat()), "sequence"),
    ];
    for (ty, expected) in table {
        let output = [bytes(1, "y"), ty].concat();
        let graph = parse(&OnnxFile::new().graph_field(&bytes(12, output)));
        assert_eq!(shown(&graph.outputs), [format!("y: {expected}")]);
    }
}

#[test]
fn sparse_weights_initialise_an_input() {
    let sparse = bytes(15, bytes(1, bytes(8, "w")));
    let graph = OnnxFile::new()
        .input("w", FLOAT, "2")
        .output("y", FLOAT, "2");
    assert_eq!(parse(&graph).inputs.len(), 1);
    assert_eq!(parse(&graph.graph_field(&sparse)).inputs.len(), 0);
}

#[test]
fn version_of_other_operators_is_ignored() {
    let operators = |domain| bytes(8, [bytes(1, domain), number(2, 3)].concat());
    for (domain, expected) in [("ai.onnx", 3), ("", 3), ("ai.onnx.ml", 17)] {
        let file = [file().encode(), operators(domain)].concat();
        assert_eq!(Graph::parse(&file).unwrap().opset, expected, "{domain}");
    }
}

#[test]
fn unknown_fields_are_skipped() {
    let fixed = |ty: u8, size| [vec![15 << 3 | ty], vec![0xff; size]].concat();
    for unknown in [
        fixed(1, 8),
        fixed(5, 4),
        number(15, u64::MAX),
        bytes(15, "x"),
    ] {
        // Fields may also have another type than the known one.
        let file = [
            unknown.clone(),
            number(7, 1),
            number(2, 1),
            file().encode(),
            unknown,
        ];
        let graph = Graph::parse(&file.concat()).unwrap();
        assert_eq!(graph.inputs.len(), 2);
    }
}

#[test]
fn bytes_that_are_not_a_model_are_rejected() {
    let malformed = |offset| Err(OnnxError::Malformed { offset });
    let table = [
        (Vec::new(), Err(OnnxError::NoGraph)),
        (bytes(7, ""), Err(OnnxError::NoGraph)),
        (number(1, 8), Err(OnnxError::NoGraph)),
        (vec![0x08], malformed(1)),
        (vec![0x3a, 5, 0], malformed(2)),
        (vec![0x09, 1, 2, 3], malformed(1)),
        // A group.
        (vec![0x0b], malformed(0)),
        // A number of 11 bytes.
        ([vec![0x08], vec![0x80; 11]].concat(), malformed(11)),
        // The length does not fit in memory.
        ([vec![0x3a], vec![0xff; 9], vec![1]].concat(), malformed(11)),
        (
            bytes(7, bytes(12, bytes(1, [0xff]))),
            Err(OnnxError::NotUtf8 { offset: 6 }),
        ),
    ];
    for (file, expected) in table {
        assert_eq!(Graph::parse(&file), expected, "{file:?}");
    }
}

#[test]
fn changed_and_truncated_files_do_not_panic() {
    let file = file().encode();
    for end in 0..file.len() {
        let _ = Graph::parse(&file[..end]).map(|graph| graph.signature("m", 0));
        let mut changed = file.clone();
        for byte in (0..8).map(|bit| file[end] ^ 1 << bit).chain([0, u8::MAX]) {
            changed[end] = byte;
            if let Ok(graph) = Graph::parse(&changed) {
                let _ = (graph.signature("m", 1), graph.batch_axis());
                let names = graph.inputs.iter().map(|input| input.name.len());
                assert!(names.sum::<usize>() <= file.len());
            }
        }
    }
}

#[test]
fn signature_has_the_dims_without_the_batch() {
    let graph = parse(
        &OnnxFile::new()
            .input("x", FLOAT, "n 3 ?")
            .input("label", OnnxFile::STRING, "n")
            .output("y", OnnxFile::BFLOAT16, "n 1"),
    );
    let dims = |size| {
        let signature = graph.signature("net", size).unwrap();
        assert_eq!((&*signature.name, signature.max_batch_size), ("net", size));
        let tensors = signature.inputs.into_iter().chain(signature.outputs);
        let tensors = tensors.map(|tensor| (tensor.name, tensor.datatype, tensor.dims));
        tensors.collect::<Vec<_>>()
    };
    let expected = |all: [&[i64]; 3]| {
        let names = ["x", "label", "y"].map(str::to_owned).into_iter();
        let types = [DataType::Fp32, DataType::Bytes, DataType::Bf16];
        let all = all.map(<[i64]>::to_vec);
        let rows = names.zip(types).zip(all);
        rows.map(|((name, ty), dims)| (name, ty, dims))
            .collect::<Vec<_>>()
    };
    assert_eq!(dims(8), expected([&[3, -1], &[1], &[1]]));
    assert_eq!(dims(0), expected([&[-1, 3, -1], &[-1], &[-1, 1]]));
}

#[test]
fn scalar_has_one_element() {
    let graph = parse(&OnnxFile::new().output("y", FLOAT, ""));
    assert_eq!(graph.signature("m", 0).unwrap().outputs[0].dims, [1]);
}

#[test]
fn every_error_of_a_value_is_reported() {
    let graph = parse(
        &OnnxFile::new()
            .input_of_any_rank("any", FLOAT)
            .input("complex", OnnxFile::COMPLEX64, "n")
            .input("empty", FLOAT, "n 0")
            .input("", FLOAT, "n")
            .input("__x", FLOAT, "n")
            .input("a b", FLOAT, "n")
            .input("/right:0", FLOAT, "n")
            .output_sequence("parts"),
    );
    let errors = graph.signature("m", 1).unwrap_err();
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        [
            "`any` has an unknown number of dimensions: export it with a shape",
            "`complex` has elements of COMPLEX64: expected one of BOOL, UINT8, UINT16, UINT32, UINT64, INT8, INT16, INT32, INT64, FP16, BF16, FP32, FP64, BYTES",
            "`empty: FLOAT [n, 0]` has a dimension of 0",
            "`` is not a valid name: a tensor needs a name",
            "`__x` is not a valid name: names of tensors that start with `__` or `triton_` are reserved",
            "`a b` is not a valid name: spaces, quotes, backslashes and control characters are not allowed in the name of a tensor",
            "`parts` is a sequence: expected a tensor",
        ]
    );
    // Without a batch, the first dimension counts too.
    let graph = parse(&OnnxFile::new().output("y", FLOAT, "0 2"));
    assert!(graph.signature("m", 1).is_ok());
    assert!(graph.signature("m", 0).is_err());
}

#[test]
fn batch_axis_has_the_same_symbol_everywhere() {
    let fixed = "axis 0 of `x: FLOAT [1, 3]` has no name";
    // The dimensions of two inputs and an output, and the error, first if any size of axis 0
    // suffices.
    let table = [
        (["n 3", "n", "n"], None, None),
        (["1 3", "n", "n"], Some(fixed), Some(fixed)),
        (
            ["n", "n", ""],
            Some("axis 0 of `y: FLOAT []` has no name"),
            Some("axis 0 of `y: FLOAT []` has no name"),
        ),
        (
            ["n 3", "m", "n"],
            None,
            Some("axis 0 of `x: FLOAT [n, 3]` and of `z: FLOAT [m]` may have different sizes"),
        ),
        (
            ["n 3", "n", "unk__7"],
            None,
            Some("axis 0 of `x: FLOAT [n, 3]` and of `y: FLOAT [unk__7]` may have different sizes"),
        ),
        (
            ["? 3", "?", "?"],
            None,
            Some("axis 0 of `x: FLOAT [?, 3]` and of `y: FLOAT [?]` may have different sizes"),
        ),
        // Rows of one sequence may depend on each other.
        (
            ["time 3", "time", "time"],
            None,
            Some("axis 0 of `x: FLOAT [time, 3]` is named `time`: expected a name such as `batch`"),
        ),
        (["N 3", "N", "N 3"], None, None),
        (["b", "b", "b"], None, None),
        (["Batch_size 3", "Batch_size", "Batch_size"], None, None),
        (
            ["nb", "nb", "nb"],
            None,
            Some("axis 0 of `x: FLOAT [nb]` is named `nb`: expected a name such as `batch`"),
        ),
        (
            ["n 3", "n", "n n"],
            None,
            Some(
                "the rows of `y: FLOAT [n, n]` depend on each other: another axis has the size of axis 0",
            ),
        ),
    ];
    for ([x, z, y], symbolic, batch) in table {
        let file = OnnxFile::new().input("x", FLOAT, x).input("z", FLOAT, z);
        let graph = parse(&file.output("y", FLOAT, y));
        let text = |result: Result<(), BatchAxisError>| result.err().map(|error| error.to_string());
        assert_eq!(text(graph.symbolic_axis()).as_deref(), symbolic);
        assert_eq!(text(graph.batch_axis()).as_deref(), batch);
    }
    let none = parse(&OnnxFile::new().output("y", FLOAT, "n"));
    assert_eq!(none.batch_axis(), Err(BatchAxisError::NoInputs));
    let any = parse(
        &OnnxFile::new()
            .input_of_any_rank("x", FLOAT)
            .output_sequence("y"),
    );
    assert!(any.symbolic_axis().is_err());
}

#[test]
fn question_mark_is_an_unknown_symbol() {
    let value = |name: &str| {
        let shape = bytes(2, bytes(1, bytes(2, "?")));
        let ty = bytes(1, [number(1, FLOAT), shape].concat());
        [bytes(1, name), bytes(2, ty)].concat()
    };
    let file = OnnxFile::new().graph_field(&bytes(11, value("x")));
    let graph = parse(&file.graph_field(&bytes(12, value("y"))));
    let ValueType::Tensor { dims, .. } = &graph.inputs[0].ty else {
        panic!("{graph:?}")
    };
    assert_eq!(*dims, Some(vec![Dimension::Symbol(String::new())]));
    assert!(matches!(
        graph.batch_axis(),
        Err(BatchAxisError::Symbols { .. })
    ));
}

#[test]
fn names_follow_tritons_rules() {
    let table = [
        ("", Some(NameFlaw::Empty)),
        ("_x", None),
        ("__x", Some(NameFlaw::Reserved)),
        ("triton_x", Some(NameFlaw::Reserved)),
        ("tritonx", None),
        ("/a/b.c:0", None),
        ("ü", None),
        ("a b", Some(NameFlaw::Character)),
        ("a\"", Some(NameFlaw::Character)),
        ("\\", Some(NameFlaw::Character)),
        ("a\u{7f}", Some(NameFlaw::Character)),
        ("\n", Some(NameFlaw::Character)),
    ];
    for (name, expected) in table {
        assert_eq!(crate::tensor_name_flaw(name), expected, "{name:?}");
    }
}
