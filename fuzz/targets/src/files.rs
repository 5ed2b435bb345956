//! Files that a server or a build reads.

use bytes::Bytes;
use pytriton_runtime::fuzzing;
use pytriton_runtime::model::TensorSpec;
use pytriton_runtime::tensor::DataType;
use pytriton_signature::LockFile;
use pytriton_signature::onnx::{Dimension, Graph, ValueInfo, ValueType};

use crate::Outcome;
use crate::reserved::{bounded, within_constant};

/// A lock file: everything that is read must survive a round trip.
pub(crate) fn lock(input: &[u8]) -> Outcome {
    let text = std::str::from_utf8(input).map_err(|error| error.to_string())?;
    let parse = |text: &str| LockFile::parse(text).map_err(|error| error.to_string());
    let lock = bounded(input, 256, |_| parse(text))?;
    assert_eq!(parse(&lock.to_json()).as_ref(), Ok(&lock));
    assert_eq!(lock.changes(&lock), []);
    Ok(())
}

/// An ONNX file: two bytes can be a dimension, or the name of weights.
pub(crate) fn onnx(input: &[u8]) -> Outcome {
    let parse = |bytes: &[u8]| Graph::parse(bytes).map_err(|error| error.to_string());
    let graph = bounded(input, 128, parse)?;
    let values = || graph.inputs.iter().chain(&graph.outputs);
    let names: usize = values().map(|value| value.name.len()).sum();
    assert!(names <= input.len(), "{names} bytes of names");
    for batching in [0, 1] {
        if let Err(errors) = graph.signature("model", batching) {
            assert!((1..=values().count()).contains(&errors.len()));
        }
    }
    if graph.batch_axis().is_ok() {
        let names: Vec<Vec<&str>> = values().map(names_of_axes).collect();
        let name = names[0][0];
        let lower = name.to_lowercase();
        assert!(
            lower.contains("batch") || ["n", "b"].contains(&&*lower),
            "{name}"
        );
        for names in names {
            let count = names.iter().filter(|other| **other == name).count();
            assert!(names[0] == name && count == 1, "{names:?}");
        }
    }
    Ok(())
}

/// The names of the dimensions of a tensor; empty for one without a name.
fn names_of_axes(value: &ValueInfo) -> Vec<&str> {
    let ValueType::Tensor {
        dims: Some(dims), ..
    } = &value.ty
    else {
        return Vec::new();
    };
    let names = dims.iter().map(|dimension| match dimension {
        Dimension::Symbol(name) => &**name,
        Dimension::Fixed(_) => "",
    });
    names.collect()
}

/// The memory for options, whatever the file contains: clap's description of all options, which is
/// copied to check each value, and the list of mistakes, which is cut off.
const OPTIONS: usize = 1 << 20;

/// The memory for each byte of a file with options. Most is used by the parser's list of errors.
const OPTIONS_PER_BYTE: usize = 512;

/// A configuration file with options.
pub(crate) fn options(input: &[u8]) -> Outcome {
    let text = std::str::from_utf8(input).map_err(|error| error.to_string())?;
    let limit = OPTIONS + OPTIONS_PER_BYTE * input.len();
    within_constant(limit, || fuzzing::options(text)).map(drop)
}

/// A warm-up file. The first byte selects the datatype of the input; its highest bit selects a raw
/// file instead of a `.npy` file. The second byte is the size of the last dimension.
pub(crate) fn npy(input: &[u8]) -> Outcome {
    let [kind, size, bytes @ ..] = input else {
        return Err("too short".to_owned());
    };
    let datatype = DataType::ALL[usize::from(kind & 0x7f) % DataType::ALL.len()];
    let path = if *kind < 0x80 { "x.npy" } else { "x.bin" };
    let tensor = TensorSpec::new("x", datatype, [-1, i64::from(*size)]);
    let bytes = Bytes::copy_from_slice(bytes);
    // A raw file needs an explicit number of rows.
    let dims = (*kind >= 0x80).then(|| vec![1, i64::from(*size)]);
    let read = |_: &[u8]| fuzzing::rows(path, &bytes, &tensor, dims.clone());
    // A row of one byte is a `Bytes` of its own, counted twice while the list of rows grows.
    let rows = bounded(&bytes, 160, read)?;
    assert!(rows > 0 && rows <= bytes.len().max(1), "{rows} rows");
    Ok(())
}
