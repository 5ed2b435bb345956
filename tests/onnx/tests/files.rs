//! Compares the files that other tests read with the ones that this crate writes. `UPDATE=1`
//! writes them.

use std::path::Path;

use pytriton_test_onnx::OnnxFile;

const FLOAT: u64 = OnnxFile::FLOAT;
const INT64: u64 = OnnxFile::INT64;

fn files() -> Vec<(&'static str, Vec<u8>)> {
    let unary = |input: &str, output: &str| {
        OnnxFile::new()
            .input("x", FLOAT, input)
            .output("y", FLOAT, output)
            .node("Neg", &["x"], &["y"])
    };
    let mut outputs = OnnxFile::new().input("x", FLOAT, "n");
    for name in ["a", "b", "c", "d", "e", "f", "g", "h", "i"] {
        outputs = outputs
            .output(name, FLOAT, "n")
            .node("Neg", &["x"], &[name]);
    }
    // The sum and the difference of two inputs, with one value for each row.
    let pair = OnnxFile::new()
        .input("left/a:0", FLOAT, "n length")
        .input("right", FLOAT, "n length")
        .input("index", INT64, "n")
        .output("sum", FLOAT, "n length")
        .output("difference", FLOAT, "n length")
        .output("same", INT64, "n")
        .node("Add", &["left/a:0", "right"], &["sum"])
        .node("Sub", &["left/a:0", "right"], &["difference"])
        .node("Identity", &["index"], &["same"]);
    vec![
        ("affine", OnnxFile::affine().encode()),
        ("pair", pair.encode()),
        ("fixed", unary("1 4", "1 4").encode()),
        ("scalar", unary("", "").encode()),
        ("two_symbols", unary("n 2", "m 2").encode()),
        ("time", unary("time 1 8", "time 1 8").encode()),
        (
            "seven_dimensions",
            unary("n 1 1 1 1 1 1", "n 1 1 1 1 1 1").encode(),
        ),
        ("nine_outputs", outputs.encode()),
        ("truncated", OnnxFile::affine().encode()[..100].to_vec()),
        ("external", unary("n", "n").external_weights("w").encode()),
        (
            "any_rank",
            OnnxFile::new()
                .input_of_any_rank("x", FLOAT)
                .output("y", FLOAT, "n")
                .encode(),
        ),
        (
            "invalid_values",
            OnnxFile::new()
                .input("z", OnnxFile::COMPLEX64, "n")
                .input("triton_x", FLOAT, "n")
                .output("text", OnnxFile::STRING, "n")
                .output_sequence("parts")
                .encode(),
        ),
        (
            "texts",
            OnnxFile::new()
                .input("text", OnnxFile::STRING, "n")
                .output("text", OnnxFile::STRING, "n")
                .encode(),
        ),
    ]
}

#[test]
fn files_are_those_that_the_writer_writes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("files");
    let mut names = Vec::new();
    for (name, written) in files() {
        let path = folder.join(format!("{name}.onnx"));
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &written).unwrap();
        }
        assert!(
            std::fs::read(&path).unwrap() == written,
            "{name}: run with UPDATE=1"
        );
        names.push(path);
    }
    let mut found: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    found.sort();
    // The guide is part of a package, so it has its own file.
    let guide = folder.join("../../../pytriton/src/guide/affine.onnx");
    assert!(std::fs::read(guide).unwrap() == OnnxFile::affine().encode());
    names.sort();
    assert_eq!(found, names);
}
