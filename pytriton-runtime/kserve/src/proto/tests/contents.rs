use bytes::Bytes;
use pytriton_protocol::proto::{InferTensorContents, ModelInferRequest};

use super::{input, raw, read, refused, typed};

#[test]
fn raw_contents_are_shared_and_assigned_in_order() {
    let message = raw();
    let place = message.raw_input_contents[0].as_ptr();
    assert_eq!(read(message).inputs[0].data.as_ptr(), place);

    let mut message = raw();
    message.inputs.push(input("INT8", None));
    message.raw_input_contents.push(Bytes::from_static(b"ab"));
    message
        .raw_input_contents
        .push(Bytes::from_static(b"one too many, as in Triton"));
    assert_eq!(&read(message).inputs[1].data[..], b"ab");
}

#[test]
fn typed_contents_become_the_bytes_of_their_element_type() {
    type Contents = InferTensorContents;
    let bytes = |elements: &[&'static [u8]]| {
        elements
            .iter()
            .map(|element| Bytes::from_static(element))
            .collect()
    };
    let table: Vec<(&str, Contents, &[u8])> = vec![
        (
            "BOOL",
            Contents {
                bool_contents: vec![true, false],
                ..Contents::default()
            },
            &[1, 0],
        ),
        (
            "INT8",
            Contents {
                int_contents: vec![-1, 127],
                ..Contents::default()
            },
            &[255, 127],
        ),
        (
            "INT16",
            Contents {
                int_contents: vec![-1, 2],
                ..Contents::default()
            },
            &[255, 255, 2, 0],
        ),
        (
            "INT32",
            Contents {
                int_contents: vec![1],
                ..Contents::default()
            },
            &[1, 0, 0, 0],
        ),
        (
            "INT64",
            Contents {
                int64_contents: vec![1],
                ..Contents::default()
            },
            &[1, 0, 0, 0, 0, 0, 0, 0],
        ),
        (
            "UINT8",
            Contents {
                uint_contents: vec![1, 255],
                ..Contents::default()
            },
            &[1, 255],
        ),
        (
            "UINT16",
            Contents {
                uint_contents: vec![4464],
                ..Contents::default()
            },
            &[112, 17],
        ),
        (
            "UINT32",
            Contents {
                uint_contents: vec![1],
                ..Contents::default()
            },
            &[1, 0, 0, 0],
        ),
        (
            "UINT64",
            Contents {
                uint64_contents: vec![2],
                ..Contents::default()
            },
            &[2, 0, 0, 0, 0, 0, 0, 0],
        ),
        (
            "FP32",
            Contents {
                fp32_contents: vec![1.0],
                ..Contents::default()
            },
            &[0, 0, 128, 63],
        ),
        (
            "FP64",
            Contents {
                fp64_contents: vec![1.0],
                ..Contents::default()
            },
            &[0, 0, 0, 0, 0, 0, 240, 63],
        ),
        (
            "BYTES",
            Contents {
                bytes_contents: bytes(&[b"", b"a"]),
                ..Contents::default()
            },
            &[0, 0, 0, 0, 1, 0, 0, 0, b'a'],
        ),
        ("FP16", Contents::default(), &[]),
    ];
    for (datatype, contents, expected) in table {
        assert_eq!(
            &read(typed(datatype, contents)).inputs[0].data[..],
            expected,
            "{datatype}"
        );
    }
}

#[test]
fn invalid_contents_are_refused() {
    let two = || InferTensorContents {
        fp32_contents: vec![1.0, 2.0],
        ..InferTensorContents::default()
    };
    let narrow = InferTensorContents {
        uint_contents: vec![1, 256],
        ..InferTensorContents::default()
    };
    let negative = InferTensorContents {
        int_contents: vec![-32769],
        ..InferTensorContents::default()
    };
    let mut mixed = typed("FP32", two());
    mixed.raw_input_contents = vec![Bytes::new()];
    let mut missing = raw();
    missing.raw_input_contents.clear();
    let twice = InferTensorContents {
        fp64_contents: vec![1.0],
        ..two()
    };
    let table = [
        (
            mixed,
            "contents field must not be specified when using raw_input_contents for 'INPUT_1' for model 'Identity'",
        ),
        (
            missing,
            "unable to find data for input tensor 'INPUT_1' for model 'Identity' in request.",
        ),
        (
            typed("FP32", twice),
            "unexpected explicit tensor data for input tensor 'INPUT_1' for model 'Identity', binary data was already supplied.",
        ),
        (
            typed("UINT8", narrow),
            "input 'INPUT_1' for model 'Identity': element 1 is 256, which UINT8 cannot hold",
        ),
        (
            typed("INT16", negative),
            "input 'INPUT_1' for model 'Identity': element 0 is -32769, which INT16 cannot hold",
        ),
        (
            typed("FP16", two()),
            "unexpected explicit tensor data for input tensor 'INPUT_1' for model 'Identity' of type 'FP32', expected datatype 'FP16'",
        ),
        (
            typed("FP31", two()),
            "unexpected explicit tensor data for input tensor 'INPUT_1' for model 'Identity' of type 'FP32', expected datatype '<invalid>'",
        ),
        (
            ModelInferRequest {
                inputs: vec![input("fp32", None)],
                ..raw()
            },
            "[request id: <id_unknown>] inference input 'INPUT_1' data-type is '<invalid>', but model 'Identity' expects 'FP32'",
        ),
    ];
    for (message, expected) in table {
        assert_eq!(refused(message), expected);
    }
}
