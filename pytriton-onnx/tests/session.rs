//! Networks that tract runs.

#![cfg(feature = "tract")]
#![expect(clippy::unwrap_used, reason = "a helper of tests fails as a test does")]

use std::io::{Read, Seek};
use std::sync::Arc;
use std::thread;

use pytriton_onnx::ndarray::{Array1, Array2, Array3, Ix1, Ix2, Ix3, array as rows};
use pytriton_onnx::{DataType, Embedded, Error, Session, Tensor, array};
use pytriton_test_onnx::OnnxFile;
use tracing::subscriber::with_default;

const FLOAT: u64 = OnnxFile::FLOAT;

fn session(file: &OnnxFile) -> Session {
    Session::new(&file.encode()).unwrap()
}

/// Returns what a function logs.
fn logged(log: impl FnOnce()) -> String {
    let mut file = tempfile::tempfile().unwrap();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_writer(file.try_clone().unwrap());
    with_default(subscriber.finish(), log);
    file.rewind().unwrap();
    let mut text = String::new();
    file.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn any_number_of_rows_is_computed() {
    let session = session(&OnnxFile::affine());
    for count in [0, 1, 2, 33] {
        let x = Array2::from_shape_fn((count, 3), |(row, column)| (row * 3 + column) as f32);
        let outputs = session.run(&[x.view().into()]).unwrap();
        let [y] = &outputs[..] else {
            panic!("{outputs:?}")
        };
        let weights = rows![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
        let expected = x.dot(&weights) + rows![0.5, -0.5];
        assert_eq!(array::<f32, Ix2>(y).unwrap(), expected);
    }
}

#[test]
fn arrays_in_any_order_and_tensors_are_accepted() {
    let session = session(&OnnxFile::affine());
    let transposed = Array2::from_shape_fn((3, 2), |(column, row)| (row * 3 + column) as f32);
    let first = session.run(&[transposed.t().into()]).unwrap();
    let tensor = Tensor::from_array(transposed.reversed_axes()).unwrap();
    assert_eq!(session.run(&[(&tensor).into()]).unwrap(), first);
    // Requests need not align their tensors.
    let mut bytes = vec![0];
    bytes.extend_from_slice(tensor.data());
    let shifted = bytes::Bytes::from(bytes).slice(1..);
    let shifted = Tensor::new(DataType::Fp32, vec![2, 3], shifted).unwrap();
    assert_eq!(session.run(&[(&shifted).into()]).unwrap(), first);
}

#[test]
fn every_supported_element_type_passes_unchanged() {
    fn passes<T: pytriton_onnx::Element + std::fmt::Debug + PartialEq>(number: u64, one: T) {
        let file = OnnxFile::new()
            .input("x", number, "n")
            .output("y", number, "n")
            .node("Identity", &["x"], &["y"]);
        let x = Array1::from_elem(3, one);
        let outputs = session(&file).run(&[x.view().into()]).unwrap();
        assert_eq!(array::<T, Ix1>(&outputs[0]).unwrap(), x);
    }
    passes(1, 1.5_f32);
    passes(2, 200_u8);
    passes(3, -3_i8);
    passes(4, 40_000_u16);
    passes(5, -5_i16);
    passes(6, -6_i32);
    passes(7, i64::MIN);
    passes(9, true);
    passes(11, 0.1_f64);
    passes(12, u32::MAX);
    passes(13, u64::MAX);
}

#[test]
fn unsupported_element_type_is_an_error() {
    for (number, datatype) in [
        (OnnxFile::STRING, DataType::Bytes),
        (OnnxFile::BFLOAT16, DataType::Bf16),
    ] {
        let file = OnnxFile::new()
            .input("x", number, "n")
            .output("y", number, "n")
            .node("Identity", &["x"], &["y"]);
        let error = Session::new(&file.encode()).unwrap_err();
        assert!(
            matches!(&error, Error::Element { tensor, datatype: found, .. }
                if tensor == "x" && *found == datatype),
            "{error}"
        );
    }
}

#[test]
fn dimensions_without_symbols_have_any_size() {
    let file = OnnxFile::new()
        .input("a", FLOAT, "? ? 2")
        .input("b", FLOAT, "? ? 2")
        .output("y", FLOAT, "? ? 2")
        .node("Unknown", &["a", "b"], &["y"]);
    // An operator that tract does not have is an error at once, not in the first call.
    assert!(matches!(
        Session::new(&file.encode()),
        Err(Error::Load { .. })
    ));
    let file = OnnxFile::new()
        .input("a", FLOAT, "? ? 2")
        .output("y", FLOAT, "? ? 2")
        .node("Neg", &["a"], &["y"]);
    let session = session(&file);
    for shape in [(1, 1, 2), (3, 5, 2)] {
        let a = Array3::from_elem(shape, 2.0_f32);
        let outputs = session.run(&[a.view().into()]).unwrap();
        assert_eq!(array::<f32, Ix3>(&outputs[0]).unwrap(), -a);
    }
}

/// A network that tract can optimize only if the shape is known: it computes with the shape.
fn reshaped(x: &str, y: &str) -> OnnxFile {
    reshaping(x, y).node("Neg", &["same"], &["y"])
}

/// The first nodes of such a network. They compute `same`, which is `x`.
fn reshaping(x: &str, y: &str) -> OnnxFile {
    OnnxFile::new()
        .input("x", FLOAT, x)
        .output("y", FLOAT, y)
        .node("Shape", &["x"], &["shape"])
        .node_with("Cast", &["shape"], &["float"], &[("to", FLOAT)])
        .node_with("Cast", &["float"], &["sizes"], &[("to", OnnxFile::INT64)])
        .node("Reshape", &["x", "sizes"], &["same"])
}

#[test]
fn rows_are_computed_together_without_a_declared_batch() {
    let softmax = reshaping("batch 1", "batch 1");
    let softmax = softmax.node_with("Softmax", &["same"], &["y"], &[("axis", 0)]);
    for (session, expected) in [
        (session(&softmax), 0.25_f32),
        (session(&softmax).with_batch_axis().unwrap(), 1.0),
    ] {
        let x = Array2::<f32>::zeros((4, 1));
        let outputs = session.run(&[x.view().into()]).unwrap();
        let y = array::<f32, Ix2>(&outputs[0]).unwrap();
        assert_eq!(y, Array2::from_elem((4, 1), expected));
    }
}

#[test]
fn network_that_needs_known_shapes_has_a_plan_for_each() {
    // More shapes than plans are kept, and the first one again.
    let session = session(&reshaped("n m", "n m"));
    for columns in (1..12).chain([1]) {
        let x = Array2::from_elem((3, columns), columns as f32);
        let outputs = session.run(&[x.view().into()]).unwrap();
        assert_eq!(array::<f32, Ix2>(&outputs[0]).unwrap(), -x);
    }
}

#[test]
fn weights_in_other_files_are_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = reshaping("n 1", "n 1").external_weights("weights").node(
        "Add",
        &["same", "weights"],
        &["y"],
    );
    let path = folder.path().join("model.onnx");
    std::fs::write(&path, file.encode()).unwrap();
    let weights = folder.path().join("model.data");
    std::fs::write(&weights, 0.5_f32.to_le_bytes()).unwrap();
    let session = Session::open(&path).unwrap();
    std::fs::remove_file(weights).unwrap();
    for rows in [1, 2] {
        let x = Array2::<f32>::zeros((rows, 1));
        let outputs = session.run(&[x.view().into()]).unwrap();
        let y = array::<f32, Ix2>(&outputs[0]).unwrap();
        assert_eq!(y, Array2::from_elem((rows, 1), 0.5));
    }
}

#[test]
fn rows_of_a_batch_are_computed_alone_if_that_is_needed() {
    let same = session(&reshaped("n 2", "n 2")).with_batch_axis().unwrap();
    let different = session(&reshaped("n 2", "m 2")).with_batch_axis().unwrap();
    for session in [same, different] {
        for count in [1, 2, 5] {
            let x = Array2::from_shape_fn((count, 2), |(row, column)| (row * 2 + column) as f32);
            let outputs = session.run(&[x.view().into()]).unwrap();
            assert_eq!(array::<f32, Ix2>(&outputs[0]).unwrap(), -x);
        }
        let none = Array2::<f32>::zeros((0, 2));
        assert!(matches!(
            session.run(&[none.view().into()]),
            Err(Error::Run { .. })
        ));
    }
    let fixed = session(&reshaped("1 2", "1 2")).with_batch_axis();
    assert!(matches!(fixed, Err(Error::BatchAxis { .. })));
}

#[test]
fn scalar_is_an_array_with_one_element() {
    let file = OnnxFile::new()
        .input("x", FLOAT, "")
        .output("y", FLOAT, "")
        .node("Neg", &["x"], &["y"]);
    let outputs = session(&file).run(&[rows![2.0_f32].view().into()]).unwrap();
    assert!(outputs[0].shape().is_empty());
    assert_eq!(array::<f32, Ix1>(&outputs[0]).unwrap(), rows![-2.0]);
}

#[test]
fn inputs_that_differ_from_the_file_are_rejected() {
    let session = session(&OnnxFile::affine());
    let none = session.run(&[]).unwrap_err().to_string();
    assert_eq!(none, "the network has 1 inputs, found 0");
    let doubles = Array2::<f64>::zeros((1, 3));
    let wrong = session
        .run(&[doubles.view().into()])
        .unwrap_err()
        .to_string();
    assert_eq!(
        wrong,
        "expected the input `x: FLOAT [batch, 3]`, found FP64 [1, 3]"
    );
    let flat = Array1::<f32>::zeros(3);
    assert!(matches!(
        session.run(&[flat.view().into()]),
        Err(Error::Input { .. })
    ));
    // The runtime's message may contain values of other clients.
    let wide = Array2::<f32>::zeros((1, 4));
    let error = session.run(&[wide.view().into()]).unwrap_err();
    assert_eq!(error.to_string(), "tract cannot run the network");
    let logged = logged(|| error.log("Affine"));
    let Error::Run { message, .. } = error else {
        panic!("{error:?}")
    };
    assert!(logged.contains(r#"model="Affine""#), "{logged}");
    let start: String = message.chars().take(10).collect();
    assert!(!start.is_empty() && logged.contains(&start), "{logged}");
    let outputs = session
        .run(&[Array2::<f32>::zeros((1, 3)).view().into()])
        .unwrap();
    assert!(matches!(
        array::<i32, Ix2>(&outputs[0]),
        Err(Error::Output { .. })
    ));
}

#[test]
fn dimensions_with_the_same_name_have_the_same_size() {
    let sum = |x: &str, z: &str| {
        let file = OnnxFile::new().input("x", FLOAT, x).input("z", FLOAT, z);
        let file = file.output("y", FLOAT, "n ?");
        session(&file.node("Add", &["x", "z"], &["y"]))
    };
    let error = |session: &Session, x, z| {
        let (x, z) = (Array2::<f32>::zeros(x), Array2::<f32>::zeros(z));
        let outputs = session.run(&[x.view().into(), z.view().into()]);
        outputs.err().map(|error| {
            assert!(error.is_invalid_argument());
            error.to_string()
        })
    };
    let rows = sum("n 2", "n 2");
    assert_eq!(error(&rows, (3, 2), (3, 2)), None);
    assert_eq!(
        error(&rows, (3, 2), (1, 2)).as_deref(),
        Some("`n` is 3 in `x: FLOAT [n, 2]` and 1 in `z: FLOAT [n, 2]`")
    );
    let square = sum("n n", "n n");
    assert_eq!(error(&square, (2, 2), (2, 2)), None);
    assert_eq!(
        error(&square, (2, 1), (2, 1)).as_deref(),
        Some("`n` is 2 in `x: FLOAT [n, n]` and 1 in `x: FLOAT [n, n]`")
    );
    // Different names, and no names, may have different sizes, unless they are a batch.
    for names in [("n 2", "m 2"), ("? 2", "? 2")] {
        let session = sum(names.0, names.1);
        assert_eq!(error(&session, (3, 2), (1, 2)), None);
        let text = error(&session.with_batch_axis().unwrap(), (3, 2), (1, 2));
        assert!(text.unwrap().starts_with("axis 0 is 3 in `x: "));
    }
}

#[test]
fn rows_of_a_batch_are_not_ignored() {
    let file = reshaping("n 2", "n 2")
        .input("z", FLOAT, "m 2")
        .node("Add", &["same", "z"], &["y"]);
    let session = session(&file).with_batch_axis().unwrap();
    let (x, z) = (Array2::<f32>::zeros((1, 2)), Array2::<f32>::zeros((2, 2)));
    let inputs = [x.view().into(), z.view().into()];
    assert!(matches!(session.run(&inputs), Err(Error::Sizes { .. })));
}

#[test]
fn file_that_cannot_be_loaded_is_an_error() {
    assert!(matches!(Session::new(b"text"), Err(Error::File { .. })));
    let missing = Session::open("nowhere.onnx").unwrap_err();
    assert_eq!(missing.to_string(), "cannot read `nowhere.onnx`");
    let sequence = OnnxFile::affine().output_sequence("parts");
    assert!(matches!(
        Session::new(&sequence.encode()),
        Err(Error::Load { .. })
    ));
}

#[test]
fn value_that_nothing_computes_is_an_error() {
    let unknown = OnnxFile::new().input("x", FLOAT, "n");
    let output = unknown.clone().output("y", FLOAT, "n");
    let input = output.clone().node("Neg", &["z"], &["y"]);
    let input_only = unknown.output("z", FLOAT, "n").node("Neg", &["z"], &["y"]);
    for (file, name) in [(output, "y"), (input, "z"), (input_only, "z")] {
        let error = Session::new(&file.encode()).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("tract cannot load the network: no node computes `{name}`")
        );
    }
}

#[test]
fn input_of_unknown_rank_is_an_error() {
    let file = OnnxFile::new()
        .input_of_any_rank("x", FLOAT)
        .output("y", FLOAT, "n")
        .node("Neg", &["x"], &["y"]);
    let error = Session::new(&file.encode()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "tract cannot load the network: `x: FLOAT of any rank` is not supported: export it with a shape"
    );
}

#[test]
fn threads_share_an_embedded_session_while_it_is_in_use() {
    let file: &'static [u8] = OnnxFile::affine().encode().leak();
    let network: &'static Embedded = Box::leak(Box::new(Embedded::new(file, true)));
    let first = network.session().unwrap();
    let threads = [0, 1].map(|row| {
        thread::spawn(move || {
            let session = network.session().unwrap();
            let x = Array2::from_elem((2, 3), row as f32);
            session.run(&[x.view().into()]).unwrap();
            session
        })
    });
    for thread in threads {
        assert!(Arc::ptr_eq(&thread.join().unwrap(), &first));
    }
    let unused = Arc::downgrade(&first);
    drop(first);
    assert!(unused.upgrade().is_none());
    network.session().unwrap();
    let invalid = Embedded::new(b"text", false);
    assert!(invalid.session().is_err() && invalid.session().is_err());
}
